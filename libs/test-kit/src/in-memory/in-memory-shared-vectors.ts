import { partitionKey } from '@palimpsest/knowledge/read-models';
import { laterOf, START } from '@palimpsest/knowledge/values';
import type { IndexPartition, OrderedPut, OrderedRemoval, SharedVectors, ShareProgress } from '@palimpsest/knowledge/read-models';
import type { Position } from '@palimpsest/knowledge/values';
import { InMemoryVectorIndex } from './in-memory-vector-index.ts';

/** Dropping vectors also drops their positions and the progress. */
class SharedIndex extends InMemoryVectorIndex {
  readonly at = new Map<string, Position>();
  readonly progress = new Map<number, ShareProgress>();

  override async drop(partition: IndexPartition): Promise<void> {
    await super.drop(partition);
    for (const key of [...this.at.keys()]) if (key.startsWith(`${partitionKey(partition)}/`)) this.at.delete(key);
  }

  override async dropAll(): Promise<void> {
    await super.dropAll();
    this.at.clear();
    this.progress.clear();
  }
}

/** One in-memory store with several writers: each `another()` simulates another process with the same vectors. */
export class InMemorySharedVectors implements SharedVectors {
  readonly #shared: SharedIndex;

  constructor(shared = new SharedIndex()) {
    this.#shared = shared;
  }

  /** The index that searches read. */
  get index(): InMemoryVectorIndex {
    return this.#shared;
  }

  another(): InMemorySharedVectors {
    return new InMemorySharedVectors(this.#shared);
  }

  async put(partition: IndexPartition, puts: readonly OrderedPut[]): Promise<void> {
    const taken = puts.filter(({ put, at }) => this.#take(partition, put.chunkId, at));
    await this.index.apply(
      partition,
      taken.map(({ put }) => put),
      START,
    );
  }

  async remove(partition: IndexPartition, removals: readonly OrderedRemoval[]): Promise<void> {
    const { at: stored } = this.#shared;
    const gone = removals.filter(({ chunkId, at }) => {
      const key = `${partitionKey(partition)}/${chunkId}`;
      const held = stored.get(key);
      return held !== undefined && held <= at && stored.delete(key);
    });
    await this.index.apply(
      partition,
      gone.map(({ chunkId }) => ({ write: 'remove', chunkId })),
      START,
    );
  }

  async progress(count: number): Promise<readonly ShareProgress[]> {
    return Array.from({ length: count }, (_, share) => this.#of(share));
  }

  async advance(shares: readonly number[], { written, removed }: Partial<ShareProgress>): Promise<void> {
    for (const share of shares) {
      const held = this.#of(share);
      this.#shared.progress.set(share, {
        written: laterOf(held.written, written ?? START),
        removed: laterOf(held.removed, removed ?? START),
      });
    }
  }

  async resetProgress(): Promise<void> {
    this.#shared.progress.clear();
  }

  #of(share: number): ShareProgress {
    return this.#shared.progress.get(share) ?? { written: START, removed: START };
  }

  #take(partition: IndexPartition, chunkId: string, at: Position): boolean {
    const key = `${partitionKey(partition)}/${chunkId}`;
    const held = this.#shared.at.get(key);
    if (held !== undefined && held > at) return false;
    this.#shared.at.set(key, at);
    return true;
  }
}
