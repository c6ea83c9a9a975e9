import { inTime } from '@palimpsest/contracts';
import { Overloaded, type Catalog, type MessageBus, type Position } from '@palimpsest/knowledge';
import { countWaiting, ingestionLag } from './queue-depth.ts';

/** For how long a count is trusted, in milliseconds. */
const FRESH_MS = 250;
/** The same where nobody would be let in by it: no one is refused for what was worked off since. */
const FRESH_WHEN_FULL_MS = 25;
/** Catalogues count by looking through an index, some tens of milliseconds for 100,000 documents: a tenth of the time at most. */
const FRESH_PER_MS_OF_COUNTING = 10;

export type BacklogSources = Readonly<{ bus: Pick<MessageBus, 'lag'>; catalog: Pick<Catalog, 'documentCounts' | 'position'> }>;

/** A place among what waits, held from being let in until the catalogue knows the document. */
export type Place = Readonly<{
  /** The document is on the log, there. */
  taken: (at: Position) => void;
  /** It did not come to it. */
  givenBack: () => void;
}>;

/** Where those lie that were let in; unknown of what is still on its way to the log. */
type LetIn = { at: Position | undefined };

/**
 * How much accepted work is waiting, and whether more is let in. Most of it waits in front of the bus, where each tenant has
 * its turn, so the catalogue is asked for what is not indexed yet, and what was let in is added until the catalogue has seen
 * it, however far that is behind the log. The bus counts where it has more: what other processes let in, documents that are
 * tried again. What a paused
 * knowledge base holds back is in nobody's way. One is let in after the other, so that no burst slips through between two counts.
 */
export class Backlog {
  readonly capacity: number;
  readonly #sources: BacklogSources;
  #counted = 0;
  #lag = 0;
  #countedAt = -Infinity;
  #tookMs = 0;
  readonly #letIn = new Set<LetIn>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(sources: BacklogSources, capacity: number) {
    this.#sources = sources;
    this.capacity = capacity;
  }

  depth(): Promise<number> {
    return this.#inTurn(() => this.#depth());
  }

  /** The caller says what becomes of the place, whatever happens. @throws Overloaded, before anything was accepted */
  letIn(): Promise<Place> {
    return this.#inTurn(async () => {
      const depth = await this.#depth();
      if (depth >= this.capacity)
        throw new Overloaded('too many documents are waiting to be indexed', retryAfter(depth, this.capacity));
      const one: LetIn = { at: undefined };
      this.#letIn.add(one);
      return { taken: (at) => void (one.at = at), givenBack: () => void this.#letIn.delete(one) };
    });
  }

  async #depth(): Promise<number> {
    const age = performance.now() - this.#countedAt;
    const fresh = this.#known() >= this.capacity ? FRESH_WHEN_FULL_MS : FRESH_MS;
    if (age > Math.max(fresh, this.#tookMs * FRESH_PER_MS_OF_COUNTING)) await this.#count();
    return this.#known();
  }

  #known(): number {
    return Math.max(this.#counted + this.#letIn.size, this.#lag);
  }

  async #count(): Promise<void> {
    const { bus, catalog } = this.#sources;
    const now = performance.now();
    // First: what the catalogue had seen before it is counted is in the count.
    const seen = await catalog.position();
    // A bus that is away keeps nobody from handing in: log and blob store take it, and the catalogue counts it.
    const lag = await inTime(ingestionLag(bus), LAG_WITHIN_MS, this.#lag);
    const began = performance.now();
    const { waiting } = await countWaiting(catalog);
    this.#tookMs = performance.now() - began;
    for (const one of this.#letIn) if (one.at !== undefined && one.at <= seen) this.#letIn.delete(one);
    [this.#counted, this.#lag, this.#countedAt] = [waiting, lag, now];
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

/** For how long the bus may think about its lag, in milliseconds. */
const LAG_WITHIN_MS = 1_000;

/** A tenth of the queue should have been worked off by then, at some documents a second; between 1 and 60 seconds. */
const retryAfter = (depth: number, capacity: number): number => Math.min(60, Math.max(1, Math.ceil((depth - capacity * 0.9) / 10)));
