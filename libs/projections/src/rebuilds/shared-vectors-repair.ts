import { partitionKey, type IndexPartition, type SharedVectors, type VectorIndex } from '@palimpsest/knowledge/read-models';
import { scopeKey, type ChunkId, type Position, type TenantScope } from '@palimpsest/knowledge/values';
import type { Journal } from '@palimpsest/contracts';
import { isPut, isRemoval, type IndexWrites } from '../index-writes.ts';
import type { PutSource, RemovalsBetween, SharedWrites } from '../shared-index-writer.ts';

/** Extra vectors that are removed at a time. */
const BATCH = 1_000;

type Ports = Readonly<{
  journal: Journal;
  vectors: Pick<SharedVectors, 'put' | 'remove' | 'advance'> & Pick<VectorIndex, 'partitions' | 'entries'>;
  /** Number of shares that the chunks are split into. */
  shares: number;
  removalsBetween: RemovalsBetween;
}>;

/**
 * Writes the vectors that all processes share again, during the rebuild of one of them: those of all shares, whatever the store holds.
 * Each write has the position of its fact, so it replaces a damaged vector and never a newer one, and searches of every process go on.
 * `finish` removes what should not be there.
 */
export class SharedVectorsRepair implements SharedWrites {
  readonly sharesLexical = false;
  readonly #ports: Ports;
  /** The chunks that have a vector, by partition. */
  readonly #written = new Map<string, Set<ChunkId>>();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  async put(_: Position, puts: PutSource): Promise<void> {
    for await (const writes of puts())
      for (const { partition, writes: of } of writes.partitions()) {
        const written = this.#in(partitionKey(partition));
        const found = of.filter(isPut).flatMap(({ vector, at }) => (vector ? [{ put: vector(), at }] : []));
        await this.#ports.vectors.put(partition, found);
        for (const { put } of found) written.add(put.chunkId);
      }
  }

  async remove(writes: IndexWrites): Promise<void> {
    for (const { partition, writes: of } of writes.partitions()) {
      const removals = of.filter(isRemoval);
      if (removals.length === 0) continue;
      await this.#ports.vectors.remove(partition, removals);
      for (const { chunkId } of removals) this.#in(partitionKey(partition)).delete(chunkId);
    }
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
    const { journal, vectors, removalsBetween } = this.#ports;
    const keys = scopes && new Set(scopes.map(scopeKey));
    const isRebuilt = ({ scope }: IndexPartition): boolean => keys === undefined || keys.has(scopeKey(scope));
    for await (const { partition, removal } of removalsBetween(at, await journal.log.head()))
      if (isRebuilt(partition)) await vectors.remove(partition, [removal]);
    for (const partition of (await vectors.partitions()).filter(isRebuilt)) {
      const written = this.#in(partitionKey(partition));
      const extra: ChunkId[] = [];
      for await (const { chunkId } of vectors.entries(partition)) if (!written.has(chunkId)) extra.push(chunkId);
      for (let i = 0; i < extra.length; i += BATCH)
        await vectors.remove(
          partition,
          extra.slice(i, i + BATCH).map((chunkId) => ({ chunkId, at })),
        );
    }
    if (scopes === undefined) await vectors.advance(this.#shares(), { removed: at });
  }

  #shares(): readonly number[] {
    return Array.from({ length: this.#ports.shares }, (_, share) => share);
  }

  #in(partition: string): Set<ChunkId> {
    const found = this.#written.get(partition) ?? new Set<ChunkId>();
    this.#written.set(partition, found);
    return found;
  }
}
