import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import { embeddingVersionParts, type EmbeddingVersion } from '@palimpsest/knowledge/values';
import type { Schemas } from '@qdrant/js-client-rest';
import type { QdrantOptions } from '../connection/options.ts';
import type { CollectionPlan } from '../partitions/collections.ts';
import { collectionName } from '../partitions/names.ts';
import { POINT_INDEXES } from '../partitions/partition-points.ts';

export type QdrantVectorOptions = QdrantOptions &
  Readonly<{
    /** The embedding version of a partition, which determines its collection. Must not change while the partition exists. */
    versionOf: (partition: IndexPartition) => EmbeddingVersion | Promise<EmbeddingVersion>;
    /** Compare with every vector of the partition; otherwise use the partition's HNSW graph, which may miss some. @default true */
    exact?: boolean;
    /** With `exact: false`: how many candidates the graph search keeps. @default 128 */
    hnswEf?: number;
    /** Quantised vectors in memory for searches that are not exact; the full vectors are then on disk. @default none */
    quantization?: 'none' | 'scalar' | 'binary';
    /**
     * Processors round dot products differently, which matters where scores are almost equal.
     * `ordered`: results have exactly the order of the embedded index. If results are so close that rounding could decide, their
     * vectors are fetched and compared here. The other scores are the server's, equal to those of the embedded index up to rounding.
     * `embedded`: all scores are those of the embedded index, bit for bit; the vectors of all results are fetched.
     * `server`: scores and order are the server's; equal scores are ordered by chunk id.
     * @default ordered
     */
    scores?: 'ordered' | 'embedded' | 'server';
    /** Edges per point of a partition's graph. @default 16 */
    graphDegree?: number;
    /** Maximum age of the sample from which the score spread of a partition is computed, in ms. @default 10,000 */
    sampleMaxAgeMs?: number;
  }>;

export const VECTOR = 'chunk';

export const vectorPlan = (
  version: EmbeddingVersion,
  prefix: string,
  { quantization = 'none', graphDegree = 16 }: Pick<QdrantVectorOptions, 'quantization' | 'graphDegree'>,
): CollectionPlan => ({
  name: collectionName(prefix, 'vectors', version),
  create: {
    // Dot, not Cosine: the vectors have length 1 already, and Cosine would normalise them again and change their bits.
    vectors: {
      [VECTOR]: {
        size: embeddingVersionParts(version).dimensions,
        distance: 'Dot',
        on_disk: quantization !== 'none',
        multivector_config: { comparator: 'max_sim' },
      },
    },
    // A graph for each partition and none over all of them: a search is always within one partition.
    hnsw_config: { m: 0, payload_m: graphDegree },
    ...(quantization === 'none' ? {} : { quantization_config: QUANTIZATION[quantization] }),
  },
  indexes: POINT_INDEXES,
});

const QUANTIZATION = {
  scalar: { scalar: { type: 'int8', quantile: 0.99, always_ram: true } },
  binary: { binary: { always_ram: true } },
} satisfies Record<string, Schemas['QuantizationConfig']>;

/** @throws InvalidValue naming the option */
export const searchParams = ({ exact = true, hnswEf = 128, quantization = 'none' }: QdrantVectorOptions): Schemas['SearchParams'] => {
  if (!Number.isSafeInteger(hnswEf) || hnswEf < 1) throw new InvalidValue('hnswEf', 'a whole number, 1 or more', hnswEf);
  if (exact) return { exact: true };
  return { hnsw_ef: hnswEf, ...(quantization === 'none' ? {} : { quantization: { rescore: true, oversampling: 2 } }) };
};
