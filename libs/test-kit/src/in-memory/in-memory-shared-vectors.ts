import { laterOf, START, type ChunkId } from '@palimpsest/knowledge/values';
import type { IndexPartition, Ordered, SharedVectors, ShareProgress, VectorPut } from '@palimpsest/knowledge/read-models';
import { ChunkPositions } from './chunk-positions.ts';
import { InMemoryVectorIndex } from './in-memory-vector-index.ts';

/** Dropping vectors also drops their positions and the progress. */
class SharedIndex extends InMemoryVectorIndex {
  readonly at = new ChunkPositions();
  readonly progress = new Map<number, ShareProgress>();

  override async drop(partition: IndexPartition): Promise<void> {
    await super.drop(partition);
    this.at.drop(partition);
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

  async put(partition: IndexPartition, puts: readonly Ordered<{ put: VectorPut }>[]): Promise<void> {
    await this.index.apply(partition, this.#shared.at.put(partition, puts), START);
  }

  async remove(partition: IndexPartition, removals: readonly Ordered<{ chunkId: ChunkId }>[]): Promise<void> {
    const gone = this.#shared.at.remove(partition, removals);
    await this.index.apply(
      partition,
      gone.map((chunkId) => ({ write: 'remove', chunkId })),
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

  #of(share: number): ShareProgress {
    return this.#shared.progress.get(share) ?? { written: START, removed: START };
  }
}
