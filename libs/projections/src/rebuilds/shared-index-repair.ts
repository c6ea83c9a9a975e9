import {
  partitionKey,
  type IndexPartition,
  type IndexStore,
  type LexicalPut,
  type Ordered,
  type OrderedWrites,
  type SharedVectors,
  type VectorPut,
} from '@palimpsest/knowledge/read-models';
import { scopeKey, type ChunkId, type Position, type TenantScope } from '@palimpsest/knowledge/values';
import type { Journal } from '@palimpsest/contracts';
import { isPut, isRemoval, vectorsOf, wordsOf, type ChunkPut, type ChunkRemoval, type IndexWrites } from '../index-writes.ts';
import type { PutSource, RemovalsBetween, SharedWrites } from '../shared-index-writer.ts';

/** Extra chunks that are removed at a time. */
const BATCH = 1_000;

type Repaired<Put> = OrderedWrites<Put> & Pick<IndexStore, 'partitions' | 'entries'>;

type Ports = Readonly<{
  journal: Journal;
  vectors: Repaired<VectorPut> & Pick<SharedVectors, 'advance'>;
  /** Set if the words are shared, too. */
  lexical?: Repaired<LexicalPut>;
  /** Number of shares that the chunks are split into. */
  shares: number;
  removalsBetween: RemovalsBetween;
  /** Removes what the store has kept of earlier settings and formats. */
  removeUnused: () => Promise<void>;
}>;

/**
 * Writes the indexes that all processes share again, during the rebuild of one of them: the chunks of all shares, whatever the store holds.
 * Each write has the position of its fact, so it replaces damaged data and never newer data, and searches of every process go on.
 * `finish` removes what should not be there.
 */
export class SharedIndexRepair implements SharedWrites {
  readonly #ports: Ports;
  readonly #indexes: readonly RepairedIndex[];

  constructor(ports: Ports) {
    this.#ports = ports;
    const { vectors, lexical } = ports;
    this.#indexes = [repaired(vectors, vectorsOf), ...(lexical ? [repaired(lexical, wordsOf)] : [])];
  }

  get sharesLexical(): boolean {
    return this.#ports.lexical !== undefined;
  }

  async put(_: Position, puts: PutSource): Promise<void> {
    for await (const writes of puts())
      for (const { partition, writes: of } of writes.partitions())
        await Promise.all(this.#indexes.map((index) => index.put(partition, of.filter(isPut))));
  }

  async remove(writes: IndexWrites): Promise<void> {
    for (const { partition, writes: of } of writes.partitions()) await this.#removeAll(partition, of.filter(isRemoval));
  }

  /**
   * Call when everything up to `at` was written, before the process goes on from there: it does not write the earlier facts as the holder of
   * its shares, and the others would wait for them.
   */
  async written(at: Position): Promise<void> {
    await this.#ports.vectors.advance(this.#shares(), { written: at });
  }

  /**
   * Call after `written`; if only `scopes` were written, instead of it. Other processes may be ahead: what they removed meanwhile, and this one has put again, is
   * removed, and nothing that was put after `at`.
   */
  async finish(at: Position, scopes?: readonly TenantScope[]): Promise<void> {
    const { journal, vectors, removalsBetween, removeUnused } = this.#ports;
    const keys = scopes && new Set(scopes.map(scopeKey));
    const isRebuilt = ({ scope }: IndexPartition): boolean => keys === undefined || keys.has(scopeKey(scope));
    for await (const { partition, removal } of removalsBetween(at, await journal.log.head()))
      if (isRebuilt(partition)) await this.#removeAll(partition, [removal]);
    for (const index of this.#indexes) await index.removeExtra(isRebuilt, at);
    if (scopes !== undefined) return;
    await vectors.advance(this.#shares(), { removed: at });
    await removeUnused();
  }

  async #removeAll(partition: IndexPartition, removals: readonly ChunkRemoval[]): Promise<void> {
    if (removals.length > 0) await Promise.all(this.#indexes.map((index) => index.remove(partition, removals)));
  }

  #shares(): readonly number[] {
    return Array.from({ length: this.#ports.shares }, (_, share) => share);
  }
}

type RepairedIndex = Readonly<{
  put: (partition: IndexPartition, puts: readonly ChunkPut[]) => Promise<void>;
  remove: (partition: IndexPartition, removals: readonly ChunkRemoval[]) => Promise<void>;
  /** Removes what was put at or before `at`, by anyone, and is not among what was put here. */
  removeExtra: (isRebuilt: (partition: IndexPartition) => boolean, at: Position) => Promise<void>;
}>;

const repaired = <Put extends Readonly<{ chunkId: ChunkId }>>(
  index: Repaired<Put>,
  putsOf: (puts: readonly ChunkPut[]) => readonly Ordered<{ put: Put }>[],
): RepairedIndex => {
  /** The chunks that were put, by partition. */
  const written = new Map<string, Set<ChunkId>>();
  const writtenIn = (partition: IndexPartition): Set<ChunkId> => {
    const key = partitionKey(partition);
    const known = written.get(key) ?? new Set<ChunkId>();
    written.set(key, known);
    return known;
  };
  return {
    put: async (partition, puts) => {
      const ordered = putsOf(puts);
      if (ordered.length === 0) return;
      await index.put(partition, ordered);
      const known = writtenIn(partition);
      for (const { put } of ordered) known.add(put.chunkId);
    },
    remove: async (partition, removals) => {
      await index.remove(partition, removals);
      const known = writtenIn(partition);
      for (const { chunkId } of removals) known.delete(chunkId);
    },
    removeExtra: async (isRebuilt, at) => {
      for (const partition of (await index.partitions()).filter(isRebuilt)) {
        const known = writtenIn(partition);
        const extra: ChunkId[] = [];
        for await (const { chunkId } of index.entries(partition)) if (!known.has(chunkId)) extra.push(chunkId);
        for (let i = 0; i < extra.length; i += BATCH)
          await index.remove(
            partition,
            extra.slice(i, i + BATCH).map((chunkId) => ({ chunkId, at })),
          );
      }
    },
  };
};
