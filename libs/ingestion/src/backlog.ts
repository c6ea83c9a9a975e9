import { inTime, Mutex, SYSTEM, type System } from '@palimpsest/foundation';
import { Overloaded } from '@palimpsest/knowledge/errors';
import type { Reservation } from '@palimpsest/knowledge/limits';
import type { MessageBus } from '@palimpsest/knowledge/ports';
import type { Catalog } from '@palimpsest/knowledge/read-models';
import type { Position } from '@palimpsest/knowledge/values';
import { countWaiting, ingestionLag } from './queue-depth.ts';

/** How long a count stays valid, in milliseconds. */
const FRESH_MS = 250;
/** The same when the backlog is full: no document is refused because of documents that were processed since. */
const FRESH_WHEN_FULL_MS = 25;
/** A catalog scans an index to count: tens of milliseconds for 100,000 documents. Counting takes at most a tenth of the time. */
const FRESH_PER_MS_OF_COUNTING = 10;

export type BacklogSources = Readonly<{ bus: Pick<MessageBus, 'lag'>; catalog: Pick<Catalog, 'documentCounts' | 'position'> }>;

/** Position of an admitted document; undefined while it is on its way to the log. */
type Reserved = { at: Position | undefined };

/**
 * The number of accepted documents that wait, and the decision whether to admit more. Most documents wait in front of the bus, where
 * tenants take turns. So the catalog counts the documents that are not indexed yet. Admitted documents are added until the catalog
 * has seen them, however far it is behind the log. The lag of the bus counts where it is larger: it includes documents that other
 * processes admitted and documents that are retried. Documents that a paused knowledge base holds back do not count. Reservations
 * are made sequentially, so that no burst gets through between two counts.
 */
export class Backlog {
  readonly capacity: number;
  readonly #sources: BacklogSources;
  #counted = 0;
  #lag = 0;
  #countedAt = -Infinity;
  #tookMs = 0;
  readonly #reserved = new Set<Reserved>();
  readonly #mutex = new Mutex();
  readonly #system: Pick<System, 'clock' | 'scheduler'>;

  constructor(sources: BacklogSources, capacity: number, system: Pick<System, 'clock' | 'scheduler'> = SYSTEM) {
    this.#system = system;
    this.#sources = sources;
    this.capacity = capacity;
  }

  depth(): Promise<number> {
    return this.#mutex.run(() => this.#depth());
  }

  /** The caller must commit or release the reservation. @throws Overloaded before anything was accepted */
  reserve(): Promise<Reservation> {
    return this.#mutex.run(async () => {
      const depth = await this.#depth();
      if (depth >= this.capacity) throw new Overloaded('too many documents are waiting to be indexed', retryAfter(depth, this.capacity));
      const one: Reserved = { at: undefined };
      this.#reserved.add(one);
      return { commit: (at) => void (one.at = at), release: () => void this.#reserved.delete(one) };
    });
  }

  async #depth(): Promise<number> {
    const age = this.#system.clock.elapsed() - this.#countedAt;
    const fresh = this.#known() >= this.capacity ? FRESH_WHEN_FULL_MS : FRESH_MS;
    if (age > Math.max(fresh, this.#tookMs * FRESH_PER_MS_OF_COUNTING)) await this.#count();
    return this.#known();
  }

  #known(): number {
    return Math.max(this.#counted + this.#reserved.size, this.#lag);
  }

  async #count(): Promise<void> {
    const { bus, catalog } = this.#sources;
    const now = this.#system.clock.elapsed();
    // Read the position first: everything up to it is included in the count.
    const seen = await catalog.position();
    // Documents are accepted while the bus is unavailable: log and blob store take them, and the catalog counts them.
    const lag = await inTime(ingestionLag(bus), LAG_WITHIN_MS, this.#lag, this.#system.scheduler);
    const began = this.#system.clock.elapsed();
    const { waiting } = await countWaiting(catalog);
    this.#tookMs = this.#system.clock.elapsed() - began;
    for (const one of this.#reserved) if (one.at !== undefined && one.at <= seen) this.#reserved.delete(one);
    [this.#counted, this.#lag, this.#countedAt] = [waiting, lag, now];
  }
}

/** How long to wait for the lag of the bus, in milliseconds. */
const LAG_WITHIN_MS = 1_000;

/** The time in which a tenth of the queue should be processed, at ten documents per second; between 1 and 60 seconds. */
const retryAfter = (depth: number, capacity: number): number => Math.min(60, Math.max(1, Math.ceil((depth - capacity * 0.9) / 10)));
