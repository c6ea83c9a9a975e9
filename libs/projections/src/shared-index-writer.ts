import { pause, SYSTEM, type Scheduler } from '@palimpsest/foundation';
import { laterOf, shareOf, START } from '@palimpsest/knowledge/values';
import type { IndexPartition, LexicalPut, OrderedWrites, ShareProgress, SharedVectors } from '@palimpsest/knowledge/read-models';
import type { ChunkId, Position } from '@palimpsest/knowledge/values';
import { isPut, isRemoval, vectorsOf, wordsOf, type ChunkPut, type ChunkRemoval, type IndexWrites } from './index-writes.ts';

export type SharedIndexes = Readonly<{
  vectors: SharedVectors;
  /** Defined if it is shared as well; otherwise each process has its own. */
  lexical?: OrderedWrites<LexicalPut>;
}>;

/** The removals of the facts after one position, up to another; for a share whose holder died before writing them. */
export type RemovalsBetween = (
  after: Position,
  upTo: Position,
) => AsyncIterable<Readonly<{ partition: IndexPartition; removal: ChunkRemoval }>>;

/** The shared store was emptied or restored to an earlier state: it must be rewritten from the log. */
export class SharedIndexLost extends Error {
  override readonly name = 'SharedIndexLost';
}

/** A source of puts that can be read several times. */
export type PutSource = () => Iterable<IndexWrites> | AsyncIterable<IndexWrites>;

/** What a projection writes to indexes that several processes share. */
export type SharedWrites = Readonly<{
  sharesLexical: boolean;
  put: (target: Position, puts: PutSource, signal?: AbortSignal) => Promise<void>;
  remove: (writes: IndexWrites) => Promise<void>;
}>;

export type SharedWriterOptions = Readonly<{
  /** Number of shares that the chunks are split into; the same in every process. */
  shares: number;
  removalsBetween: RemovalsBetween;
  /** Interval between checks whether the other shares are written, in milliseconds. */
  pollMs?: number;
  scheduler?: Scheduler;
}>;

/**
 * The indexes that all replicas share. Every replica projects every fact, but writes only the chunks of the shares that it holds, and
 * its catalog advances to a fact only when all shares have written its index writes. So no replica ever shows a chunk without its
 * vector, regardless of the writer; and when a holder dies, the process that takes its share is at a position from which it can
 * continue.
 */
export class SharedIndexWriter implements SharedWrites {
  readonly #indexes: SharedIndexes;
  readonly #options: SharedWriterOptions;
  readonly #held = new Set<number>();
  /** Shares whose removals are known to be written up to `#last`. */
  readonly #swept = new Set<number>();
  /** Known lower bound of what all shares have written. It only grows, until the store loses data. */
  #written: Position = START;
  #last: Position = START;
  /** Position of the last fact whose removals this process knows. */
  #lastRemoval: Position = START;

  constructor(indexes: SharedIndexes, options: SharedWriterOptions) {
    this.#indexes = indexes;
    this.#options = options;
  }

  /** Whether the lexical index is shared, too. */
  get sharesLexical(): boolean {
    return this.#indexes.lexical !== undefined;
  }

  /** Position of the last fact whose index writes this process wrote or found written. */
  last(): Position {
    return this.#last;
  }

  hold(share: number): void {
    this.#held.add(share);
    this.#swept.delete(share);
  }

  release(share: number): void {
    this.#held.delete(share);
    this.#swept.delete(share);
  }

  /**
   * Resolves when the puts of all facts up to `target` are in the store: this process writes its own shares, the holders write the
   * others. `puts` is read again if this process receives a share while it waits for the others.
   */
  async put(target: Position, puts: PutSource, signal?: AbortSignal): Promise<void> {
    if (target > this.#written) await this.#writtenUp(target, puts, signal);
    this.#last = laterOf(this.#last, target);
  }

  /** Writes the removals of the shares held here, and those that earlier holders left undone. */
  async remove(writes: IndexWrites): Promise<void> {
    const target = writes.last();
    if (target === START) return;
    this.#lastRemoval = laterOf(this.#lastRemoval, target);
    if (this.#held.size === 0) return;
    await this.#sweep(target);
    const mine = [...this.#held];
    for (const { partition, writes: of } of writes.partitions())
      await this.#removeAll(
        partition,
        of.filter(isRemoval).filter(({ chunkId }) => this.#isHeld(chunkId)),
      );
    await this.#indexes.vectors.advance(
      mine.filter((share) => this.#swept.has(share)),
      { removed: target },
    );
  }

  /**
   * Writes and removes chunks of one index for a repair, also of shares that are not held here. Each write has the position at which the log says so:
   * newer data is neither replaced nor removed.
   */
  async repair(
    store: 'vectors' | 'lexical',
    partition: IndexPartition,
    puts: readonly ChunkPut[],
    removals: readonly ChunkRemoval[],
  ): Promise<void> {
    const { vectors, lexical } = this.#indexes;
    const index = store === 'vectors' ? vectors : lexical;
    if (puts.length > 0) await (store === 'vectors' ? vectors.put(partition, vectorsOf(puts)) : lexical?.put(partition, wordsOf(puts)));
    if (removals.length > 0) await index?.remove(partition, removals);
  }

  /** Others may be ahead of a repair: of what it put as of `at`, removes again what they removed up to `head`. */
  async removeAgain(at: Position, head: Position, wasPut: (partition: IndexPartition, chunkId: ChunkId) => boolean): Promise<void> {
    for await (const { partition, removal } of this.#options.removalsBetween(at, head))
      if (wasPut(partition, removal.chunkId)) await this.#removeAll(partition, [removal]);
  }

  /** Whether the store lacks data that this process has seen written up to `known`: it was emptied or is an older copy. */
  async lost(known: Position): Promise<boolean> {
    const lost = (await this.#progress()).some(({ written }) => written < known);
    if (lost) this.forget();
    else this.#last = laterOf(this.#last, known);
    return lost;
  }

  /** Whether every share has written the removals of all facts projected here. */
  async settled(): Promise<boolean> {
    await this.#sweep(this.#lastRemoval);
    return (await this.#progress()).every(({ removed }) => removed >= this.#lastRemoval);
  }

  /** Discards what is known about the state of the store. */
  forget(): void {
    this.#written = START;
    this.#last = START;
    this.#lastRemoval = START;
    this.#swept.clear();
  }

  async #writtenUp(target: Position, puts: PutSource, signal: AbortSignal | undefined): Promise<void> {
    const { pollMs = 25, scheduler = SYSTEM.scheduler } = this.#options;
    for (;;) {
      signal?.throwIfAborted();
      const progress = await this.#progress();
      // Continuing would hide the loss behind newer positions.
      if (progress.some(({ written }) => written < this.#last))
        throw new SharedIndexLost(`the shared indexes lost data: they had reached position ${this.#last}`);
      const behind = progress.flatMap(({ written }, share) => (written < target ? [share] : []));
      if (behind.length === 0) break;
      const mine = behind.filter((share) => this.#held.has(share));
      if (mine.length === 0) {
        await pause(pollMs, undefined, scheduler);
        continue;
      }
      for await (const writes of puts())
        for (const { partition, writes: of } of writes.partitions())
          await this.#putAll(
            partition,
            of.filter(isPut).filter(({ chunkId }) => mine.includes(shareOf(chunkId, this.#options.shares))),
          );
      await this.#indexes.vectors.advance(mine, { written: target });
    }
    this.#written = target;
  }

  async #putAll(partition: IndexPartition, puts: readonly ChunkPut[]): Promise<void> {
    if (puts.length === 0) return;
    const { vectors, lexical } = this.#indexes;
    await vectors.put(partition, vectorsOf(puts));
    await lexical?.put(partition, wordsOf(puts));
  }

  async #removeAll(partition: IndexPartition, removals: readonly ChunkRemoval[]): Promise<void> {
    if (removals.length === 0) return;
    await this.#indexes.vectors.remove(partition, removals);
    await this.#indexes.lexical?.remove(partition, removals);
  }

  /** A new share may lack removals of its previous holder: they are read from the log again. */
  async #sweep(upTo: Position): Promise<void> {
    const fresh = [...this.#held].filter((share) => !this.#swept.has(share));
    if (fresh.length === 0) return;
    const progress = await this.#progress();
    const since = fresh.map((share) => progress[share]?.removed ?? START).reduce((min, removed) => (removed < min ? removed : min), upTo);
    for await (const { partition, removal } of this.#options.removalsBetween(since, upTo))
      if (fresh.includes(shareOf(removal.chunkId, this.#options.shares))) await this.#removeAll(partition, [removal]);
    await this.#indexes.vectors.advance(fresh, { removed: upTo });
    for (const share of fresh) if (this.#held.has(share)) this.#swept.add(share);
  }

  #isHeld(chunkId: ChunkId): boolean {
    return this.#held.has(shareOf(chunkId, this.#options.shares));
  }

  #progress(): Promise<readonly ShareProgress[]> {
    return this.#indexes.vectors.progress(this.#options.shares);
  }
}
