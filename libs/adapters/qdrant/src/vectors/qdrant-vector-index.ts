import { vectorDigest } from '@palimpsest/contracts';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import {
  NO_SPREAD,
  type IndexEntry,
  type IndexPartition,
  type IndexQuery,
  type IndexRemoval,
  type Ordered,
  type ReadablePartition,
  type ScoreSpread,
  type ShareProgress,
  type SharedVectors,
  type VectorHit,
  type VectorIndex,
  type VectorPut,
} from '@palimpsest/knowledge/read-models';
import { embeddingVersionParts, type ChunkId, type EmbeddingVersion, type Position } from '@palimpsest/knowledge/values';
import type { CollectionPlan } from '../partitions/collections.ts';
import type { Draft, FoundPoint, PartitionPoints } from '../partitions/partition-points.ts';
import type { PartitionSeal } from '../partitions/partition-seal.ts';
import { checkK, PartitionStore } from '../partitions/partition-store.ts';
import { rankedSearch } from '../partitions/ranked-search.ts';
import { jsonNumbers } from './json-numbers.ts';
import { embeddedScore, scoreSlack } from './embedded-score.ts';
import { checkUnit } from './unit-vector.ts';
import { VectorSamples } from './vector-samples.ts';
import { searchParams, VECTOR, vectorPlan, type QdrantVectorOptions } from './vector-options.ts';

export type QdrantVectorIndex = VectorIndex &
  SharedVectors &
  Readonly<{
    /** Removes what earlier settings and formats have left. All processes that write must run this version. */
    removeUnused(): Promise<void>;
  }>;

/** Up to this many results include their vectors. Of more, only vectors that may be among the best are fetched. */
const INLINE_VECTORS = 64;

/**
 * Opens the index on a Qdrant server, 1.16 or newer. Sends no request yet: a collection is created on the first write
 * to it. Any number of processes may open it. Each call of one process shows its writes together to searches
 * of that process; other processes may see the batches of a call one by one.
 * @throws InvalidValue for an option out of range
 */
export const openQdrantVectorIndex = (options: QdrantVectorOptions): QdrantVectorIndex => new OpenVectorIndex(options);

class OpenVectorIndex implements QdrantVectorIndex {
  readonly #options: QdrantVectorOptions;
  readonly #store: PartitionStore;
  readonly #params: ReturnType<typeof searchParams>;
  readonly #samples: VectorSamples;

  constructor(options: QdrantVectorOptions) {
    this.#options = options;
    this.#params = searchParams(options);
    this.#samples = new VectorSamples(options.sampleMaxAgeMs ?? 10_000);
    this.#store = new PartitionStore(options, 'vectors');
  }

  async apply(partition: IndexPartition, writes: readonly (VectorPut | IndexRemoval)[], upTo: Position): Promise<void> {
    // Requested while the partition is locked, so that calls keep their order.
    const version = this.#versionOf(partition);
    version.catch(() => undefined);
    await this.#store.apply(partition, async () => ({ plan: this.#plan(await version), draftOf: draftFor(await version) }), writes, upTo);
  }

  async search(partition: ReadablePartition, vector: Float32Array, { k, filter, chunks }: IndexQuery): Promise<readonly VectorHit[]> {
    checkK(k);
    const version = await this.#versionOf(partition);
    const { dimensions } = embeddingVersionParts(version);
    checkUnit(vector, dimensions, 'vector');
    const { scores = 'ordered' } = this.#options;
    return this.#store.readSealed<readonly VectorHit[]>(partition, [], async (seal) => {
      const points = this.#store.points(this.#plan(version), partition);
      const query = [jsonNumbers(vector)];
      const hits = await rankedSearch<VectorHit>({
        k,
        filter,
        chunks,
        seal,
        among: (selection) => points.among(selection),
        slack: scores === 'server' ? 0 : scoreSlack(dimensions),
        ask: (limit, conditions, payload) =>
          points.query(
            { query, using: VECTOR, limit, params: this.#params, payload, withVector: scores === 'embedded' && limit <= INLINE_VECTORS },
            conditions,
          ),
        score: async (found, wanted) => (scores === 'server' ? found : scored(points, possible(found, wanted, dimensions), vector, scores)),
      });
      return hits.map(({ chunkId, score }) => ({ chunkId, score }));
    });
  }

  /** An estimate: from 256 vectors of the partition, read at most some seconds ago. */
  async spread(partition: ReadablePartition, vector: Float32Array): Promise<ScoreSpread> {
    const version = await this.#versionOf(partition);
    checkUnit(vector, embeddingVersionParts(version).dimensions, 'vector');
    return this.#store.readSealed(partition, NO_SPREAD, () =>
      this.#samples.spread(partition, this.#store.points(this.#plan(version), partition), VECTOR, vector),
    );
  }

  async put(partition: IndexPartition, puts: readonly Ordered<{ put: VectorPut }>[]): Promise<void> {
    const version = await this.#versionOf(partition);
    await this.#store.put(partition, { plan: this.#plan(version), draftOf: draftFor(version) }, puts);
  }

  async remove(partition: IndexPartition, removals: readonly Ordered<{ chunkId: ChunkId }>[]): Promise<void> {
    await this.#store.remove(partition, this.#plan(await this.#versionOf(partition)), removals);
  }

  progress(count: number): Promise<readonly ShareProgress[]> {
    return this.#store.meta.progress(count);
  }

  async advance(shares: readonly number[], progress: Partial<ShareProgress>): Promise<void> {
    for (const share of shares)
      if (!Number.isSafeInteger(share) || share < 0) throw new InvalidValue('shares', 'whole numbers, 0 or more', share);
    await this.#store.meta.advanceShares(shares, progress);
  }

  async position(partition: IndexPartition): Promise<Position> {
    return this.#store.position(partition, this.#plan(await this.#versionOf(partition)));
  }

  partitions(): Promise<readonly IndexPartition[]> {
    return this.#store.partitions();
  }

  async count(partition: IndexPartition): Promise<number> {
    const plan = this.#plan(await this.#versionOf(partition));
    return this.#store.read(partition, () => this.#store.points(plan, partition).count());
  }

  async *entries(partition: IndexPartition): AsyncIterable<IndexEntry> {
    yield* this.#store.entries(partition, this.#plan(await this.#versionOf(partition)));
  }

  /** The server checks its own files, and does not start with damaged ones. */
  damaged(): readonly [] {
    return [];
  }

  drop(partition: IndexPartition): Promise<void> {
    return this.#store.drop(partition);
  }

  dropAll(): Promise<void> {
    return this.#store.dropAll();
  }

  removeUnused(): Promise<void> {
    return this.#store.removeUnused(() => true);
  }

  purge(): Promise<void> {
    return this.#store.purge();
  }

  /** Nothing to do: every write is in the server's log before its call resolves. */
  async flush(): Promise<void> {}

  async close(): Promise<void> {
    this.#store.close();
  }

  async #versionOf({ scope: { tenant, scope }, generation }: IndexPartition | ReadablePartition): Promise<EmbeddingVersion> {
    return this.#options.versionOf({ scope: { tenant, scope }, generation });
  }

  #plan(version: EmbeddingVersion): CollectionPlan {
    return vectorPlan(version, this.#store.layout.prefix, this.#options);
  }
}

const draftFor = (version: EmbeddingVersion) => {
  const { dimensions } = embeddingVersionParts(version);
  return (put: VectorPut, _: PartitionSeal, field: string): Draft => {
    checkUnit(put.vector, dimensions, `${field}.vector`);
    const { chunkId, attributes, vector, further = [] } = put;
    for (const [i, one] of further.entries()) checkUnit(one, dimensions, `${field}.further[${i}]`);
    const vectors = [vector, ...further];
    return {
      chunkId,
      attributes,
      vector: { [VECTOR]: vectors.map(jsonNumbers) },
      bytes: 14 * dimensions * vectors.length,
      digest: vectorDigest(put),
    };
  };
};

/** The points whose server scores may still put them among the `k` best. */
const possible = (found: readonly FoundPoint[], k: number, dimensions: number): readonly FoundPoint[] => {
  const worst = found[k - 1]?.score ?? -Infinity;
  return found.filter(({ score }) => score >= worst - 2 * scoreSlack(dimensions));
};

/** Scores from the stored vectors: of all points, or of those with a neighbour so near that rounding may have swapped them. */
const scored = async (
  points: PartitionPoints,
  found: readonly FoundPoint[],
  query: Float32Array,
  which: 'ordered' | 'embedded',
): Promise<readonly VectorHit[]> => {
  const slack = scoreSlack(query.length);
  const isNear = (a: FoundPoint | undefined, b: FoundPoint | undefined): boolean =>
    a !== undefined && b !== undefined && Math.abs(a.score - b.score) <= slack;
  const doubtful = which === 'embedded' ? found : found.filter((point, i) => isNear(found[i - 1], point) || isNear(point, found[i + 1]));
  const missing = doubtful.filter(({ vector }) => vectorsIn(vector) === undefined).map(({ id }) => id);
  const fetched = missing.length === 0 ? new Map<string | number, unknown>() : await points.vectors(missing, VECTOR);
  const again = new Set(doubtful);
  return found.flatMap((point) => {
    if (!again.has(point)) return [point];
    const stored = vectorsIn(point.vector) ?? vectorsIn(fetched.get(point.id));
    // Another process has removed it since the search.
    return stored === undefined
      ? []
      : [{ chunkId: point.chunkId, score: Math.max(...stored.map((one) => embeddedScore(Float32Array.from(one), query))) }];
  });
};

/** All vectors of a chunk. */
const vectorsIn = (named: unknown): readonly (readonly number[])[] | undefined => {
  const vectors: unknown = typeof named === 'object' && named !== null ? Reflect.get(named, VECTOR) : undefined;
  return Array.isArray(vectors) ? (vectors as number[][]) : undefined;
};
