import { InMemoryProjection, type Journal } from '@palimpsest/contracts';
import type { Cancel, System } from '@palimpsest/foundation';
import { projection } from '@palimpsest/knowledge/events';
import type { Catalog } from '@palimpsest/knowledge/read-models';
import type { Position } from '@palimpsest/knowledge/values';
import { areSlow, scaled, slowestAccepted, usualSearches, type UsualSearches } from './usual-searches.ts';

/** Why re-embedding should take less: searches are slower than before it began, or more documents wait than at the last look. */
export type Pressure = 'searches' | 'documents';

/** The latest searches before the swap are the measure. */
const BEFORE = 500;
/** Fewer searches say nothing about a p99. */
const ENOUGH_BEFORE = 50;
/** Searches that one judgement needs. */
const PER_JUDGEMENT = 20;
/** Latencies of fewer searches than that are kept for this time, in milliseconds. */
const KEPT_MS = 10_000;
const KEPT_SEARCHES = 5_000;
/** Fewer documents are processed in a moment. */
const FEW_DOCUMENTS = 20;
/** Records are followed as long as looks arrive. */
const IDLE_MS = 60_000;

export type LiveLoadParts = Readonly<{
  journal: Journal;
  catalog: Pick<Catalog, 'documentCounts'>;
  /** Where the oldest swap begins that is not built yet. Undefined if none is being built. */
  buildingSince: () => Position | undefined;
  /** A p99 of searches that is always accepted, in milliseconds. */
  acceptedMs: number;
  system: Pick<System, 'clock' | 'scheduler'>;
  onFault: (error: unknown, about: string) => void;
}>;

/**
 * How busy the installation is with its live work while generations are built: the times of searches, from the retrieval records of all
 * processes, and the number of documents that wait.
 */
export class LiveLoad {
  readonly #parts: LiveLoadParts;
  /** Undefined while no looks arrive. */
  #following: InMemoryProjection | undefined;
  #ready = false;
  #idle: Cancel = () => undefined;
  #usual: UsualSearches | undefined;
  #latest: number[] = [];
  #judgedAt = 0;
  #waiting = Infinity;

  constructor(parts: LiveLoadParts) {
    this.#parts = parts;
  }

  /** Whether it reads the times of searches, and knows those before the swap. */
  get isFollowing(): boolean {
    return this.#ready;
  }

  /** Searches that the next look judges. */
  get known(): number {
    return this.#latest.length;
  }

  /** Since the last look. `unhindered`: re-embedding has the smallest share since then. Never throws: without figures there is no pressure. */
  async pressure(unhindered: boolean): Promise<Pressure | undefined> {
    this.#follow();
    try {
      const moreWait = await this.#moreWait();
      return this.#searchesAreSlow(unhindered) ? 'searches' : moreWait ? 'documents' : undefined;
    } catch (error) {
      this.#parts.onFault(error, 'counting the documents that wait');
      return undefined;
    }
  }

  async stop(): Promise<void> {
    this.#idle();
    const following = this.#following;
    this.#following = undefined;
    this.#ready = false;
    this.#usual = undefined;
    this.#latest = [];
    this.#waiting = Infinity;
    await following?.stop();
  }

  #searchesAreSlow(unhindered: boolean): boolean {
    const now = this.#parts.system.clock.elapsed();
    const latest = this.#latest;
    if (latest.length < PER_JUDGEMENT && now - this.#judgedAt < KEPT_MS) return false;
    this.#latest = [];
    this.#judgedAt = now;
    if (latest.length < PER_JUDGEMENT) return false;
    if (unhindered && this.#usual) this.#usual = scaled(this.#usual, latest);
    return areSlow(latest, slowestAccepted(this.#usual, this.#parts.acceptedMs));
  }

  async #moreWait(): Promise<boolean> {
    const { pending, processing, held } = await this.#parts.catalog.documentCounts();
    const [before, now] = [this.#waiting, pending + processing - held];
    this.#waiting = now;
    return now > Math.max(before, FEW_DOCUMENTS);
  }

  #follow(): void {
    const { journal, system, onFault } = this.#parts;
    this.#idle();
    this.#idle = system.scheduler.after(IDLE_MS, () => void this.stop(), { background: true });
    if (this.#following) return;
    const following = new InMemoryProjection(
      journal,
      projection('search-times', {
        KnowledgeRetrieved: ({ event: { data } }) => void (this.#latest.length < KEPT_SEARCHES && this.#latest.push(data.latencyMs)),
      }),
      system.scheduler,
    );
    this.#following = following;
    this.#judgedAt = system.clock.elapsed();
    const fault = (error: unknown): void => onFault(error, 'reading the times of searches');
    const begin = async (): Promise<void> => {
      const head = await journal.log.head();
      if (this.#following !== following) return;
      await following.start(head, fault);
      const usual = await this.#before(this.#parts.buildingSince() ?? head);
      // It ended meanwhile, because no looks arrived, and began again.
      if (this.#following === following) [this.#usual, this.#ready] = [usual, true];
    };
    begin().catch((error: unknown) => {
      fault(error);
      // The next look tries again.
      if (this.#following === following) this.#following = undefined;
      return following.stop();
    });
  }

  async #before(from: Position): Promise<UsualSearches | undefined> {
    const { journal } = this.#parts;
    const ms: number[] = [];
    const options = { from, direction: 'backwards', limit: BEFORE, types: ['KnowledgeRetrieved'] } as const;
    for await (const { event } of journal.readAll(options)) if (event.type === 'KnowledgeRetrieved') ms.push(event.data.latencyMs);
    return ms.length < ENOUGH_BEFORE ? undefined : usualSearches(ms);
  }
}
