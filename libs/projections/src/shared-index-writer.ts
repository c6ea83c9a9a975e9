import { laterOf, shareOf, START } from '@palimpsest/knowledge';
import type { ChunkId, IndexPartition, LexicalIndex, Position, ShareProgress, SharedVectors } from '@palimpsest/knowledge';
import { isPut, isRemoval, type ChunkPut, type ChunkRemoval, type IndexWrites } from './index-writes.ts';

export type SharedIndexes = Readonly<{
  vectors: SharedVectors;
  /** When it is shared as well; else each process has its own. */
  lexical?: LexicalIndex;
}>;

/** Which removals the facts after one position, up to another, lead to; for a share whose holder died before it made them. */
export type RemovalsBetween = (after: Position, upTo: Position) => AsyncIterable<Readonly<{ partition: IndexPartition; removal: ChunkRemoval }>>;

/** The shared store was emptied, or put back to an earlier state: it has to be written from the log again. */
export class SharedIndexLost extends Error {
  override readonly name = 'SharedIndexLost';
}

/** Some puts, over and over again if need be. */
export type PutSource = () => Iterable<IndexWrites> | AsyncIterable<IndexWrites>;

export type SharedWriterOptions = Readonly<{
  /** Into how many shares the chunks are split, the same in every process. */
  shares: number;
  removalsBetween: RemovalsBetween;
  /** How often to look whether the other shares are written, in milliseconds. */
  pollMs?: number;
}>;

/**
 * The indexes that all replicas share: every replica projects every fact, but writes only the chunks of the shares that it
 * holds, and lets its catalogue go over to a fact only when all shares have written what the fact needs. So no replica ever
 * shows a chunk whose vector is not there, whoever writes it; and when a holder dies, whoever takes its share stands at a
 * position from which it can go on.
 */
export class SharedIndexWriter {
  readonly #indexes: SharedIndexes;
  readonly #options: SharedWriterOptions;
  readonly #held = new Set<number>();
  /** Shares whose removals are known to be made up to `#last`. */
  readonly #swept = new Set<number>();
  /** The least that all shares have written, as far as is known: it only grows, until the store loses something. */
  #written: Position = START;
  #last: Position = START;
  /** Of the last fact whose removals this process knows of. */
  #lastRemoval: Position = START;

  constructor(indexes: SharedIndexes, options: SharedWriterOptions) {
    this.#indexes = indexes;
    this.#options = options;
  }

  /** Whether BM25 is shared, too. */
  get sharesLexical(): boolean {
    return this.#indexes.lexical !== undefined;
  }

  /** Of the last fact with index writes that was written, or found written, by this process. */
  last(): Position {
    return this.#last;
  }

  hold(share: number): void {
    this.#held.add(share);
    this.#swept.delete(share);
  }

  letGo(share: number): void {
    this.#held.delete(share);
    this.#swept.delete(share);
  }

  /**
   * Resolves when the puts of all facts up to `target` are in the store: ours written here, the others' by their holders.
   * `puts` gives them, and again should a share come here while the others are waited for.
   */
  async put(target: Position, puts: PutSource, signal?: AbortSignal): Promise<void> {
    if (target > this.#written) await this.#writtenUp(target, puts, signal);
    this.#last = laterOf(this.#last, target);
  }

  /** Makes the removals of the shares that are held here, and those that their earlier holders left. */
  async remove(writes: IndexWrites): Promise<void> {
    const target = writes.last();
    if (target === START) return;
    this.#lastRemoval = laterOf(this.#lastRemoval, target);
    if (this.#held.size === 0) return;
    await this.#sweep(target);
    const mine = [...this.#held];
    for (const { partition, writes: of } of writes.partitions()) await this.#removeAll(partition, of.filter(isRemoval).filter(({ chunkId }) => this.#isHeld(chunkId)));
    await this.#indexes.vectors.advance(mine.filter((share) => this.#swept.has(share)), { removed: target });
  }

  /** Whether the store lacks what this process, at `known`, has seen written: it was emptied, or is an older copy. */
  async lost(known: Position): Promise<boolean> {
    const lost = (await this.#progress()).some(({ written }) => written < known);
    if (lost) this.forget();
    else this.#last = laterOf(this.#last, known);
    return lost;
  }

  /** Whether every share has made the removals of all facts that were projected here. */
  async settled(): Promise<boolean> {
    await this.#sweep(this.#lastRemoval);
    return (await this.#progress()).every(({ removed }) => removed >= this.#lastRemoval);
  }

  /** For a store that is emptied on purpose. */
  async reset(): Promise<void> {
    await this.#indexes.vectors.resetProgress();
    this.forget();
  }

  /** What was known of the store holds no more. */
  forget(): void {
    this.#written = START;
    this.#last = START;
    this.#lastRemoval = START;
    this.#swept.clear();
  }

  async #writtenUp(target: Position, puts: PutSource, signal: AbortSignal | undefined): Promise<void> {
    const { pollMs = 25 } = this.#options;
    for (;;) {
      signal?.throwIfAborted();
      const progress = await this.#progress();
      // Going on from here would hide the loss behind newer positions.
      if (progress.some(({ written }) => written < this.#last)) throw new SharedIndexLost(`the shared indexes are behind position ${this.#last}, where they were before`);
      const behind = progress.flatMap(({ written }, share) => (written < target ? [share] : []));
      if (behind.length === 0) break;
      const mine = behind.filter((share) => this.#held.has(share));
      if (mine.length === 0) {
        await new Promise((resolve) => setTimeout(resolve, pollMs));
        continue;
      }
      for await (const writes of puts())
        for (const { partition, writes: of } of writes.partitions())
          await this.#putAll(partition, of.filter(isPut).filter(({ chunkId }) => mine.includes(shareOf(chunkId, this.#options.shares))), target);
      await this.#indexes.vectors.advance(mine, { written: target });
    }
    this.#written = target;
  }

  async #putAll(partition: IndexPartition, puts: readonly ChunkPut[], upTo: Position): Promise<void> {
    if (puts.length === 0) return;
    const { vectors, lexical } = this.#indexes;
    await vectors.put(partition, puts.flatMap(({ vector, at }) => (vector ? [{ put: vector(), at }] : [])));
    if (lexical) await lexical.apply(partition, puts.map((put) => put.lexical()), laterOf(upTo, await lexical.position(partition)));
  }

  async #removeAll(partition: IndexPartition, removals: readonly ChunkRemoval[]): Promise<void> {
    if (removals.length === 0) return;
    const { vectors, lexical } = this.#indexes;
    await vectors.remove(partition, removals.map(({ chunkId, at }) => ({ chunkId, at })));
    if (lexical) await lexical.apply(partition, removals.map(({ chunkId }) => ({ write: 'remove', chunkId })), await lexical.position(partition));
  }

  /** A share that has just come here may lack removals that its last holder should have made: they follow from the log again. */
  async #sweep(upTo: Position): Promise<void> {
    const fresh = [...this.#held].filter((share) => !this.#swept.has(share));
    if (fresh.length === 0) return;
    const progress = await this.#progress();
    const since = fresh.map((share) => progress[share]?.removed ?? START).reduce((least, removed) => (removed < least ? removed : least), upTo);
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
