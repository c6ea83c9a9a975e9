import { analyse, analyseQuery, BM25_ANALYSER_VERSION, openBm25Index, queryLanguage } from '@palimpsest/adapters-bm25';
import { openQdrantLexicalIndex, openQdrantVectorIndex } from '@palimpsest/adapters-qdrant';
import { lexicalDigest, vectorDigest, type CheckPace, type Journal } from '@palimpsest/contracts';
import type { Catalog, IndexPartition, LexicalIndex, SharedVectors, VectorIndex } from '@palimpsest/knowledge';
import { removalsOnTheLog, SharedIndexWriter, type Digests } from '@palimpsest/projections';
import { generationVersions } from './generation-versions.ts';
import type { Keep } from './open-servers.ts';
import type { QdrantConfig, QueryServiceConfig, ServerConfig } from './settings.ts';
import type { StateFolder } from './state-folder.ts';

export type OpenIndexes = Readonly<{ vectors: VectorIndex & SharedVectors; lexical: LexicalIndex; writer: SharedIndexWriter; shares: number; digests: Digests; warmUp: () => void; check: (pace: CheckPace) => Promise<void> }>;

type Surroundings = Readonly<{
  journal: Journal; catalog: Catalog; folder: StateFolder; keep: Keep;
  /** Told of damage that the replica's own BM25 meets after opening. */
  onDamage: (partition: IndexPartition, reason: string) => void;
}>;

const connection = ({ namespace, qdrant }: ServerConfig & Readonly<{ qdrant: QdrantConfig }>) => ({
  url: qdrant.url,
  prefix: `${namespace}-`,
  replicationFactor: qdrant.replication,
  ...(qdrant.apiKey === undefined ? {} : { apiKey: qdrant.apiKey }),
});

export const openVectors = (config: ServerConfig & Readonly<{ qdrant: QdrantConfig }>, journal: Journal) =>
  openQdrantVectorIndex({ ...connection(config), versionOf: generationVersions(journal), exact: config.qdrant.exact, quantization: config.qdrant.quantization });

/** Each term as often as it occurs; their order does not count. */
const occurrences = (text: string, language: string): string[] => [...analyse(text, language).terms].flatMap(([term, frequency]) => Array.from({ length: frequency }, () => term));

/** What a query replica searches: vectors in Qdrant, which all replicas fill together, and BM25 of its own, or in Qdrant too. */
export const openIndexes = async (config: QueryServiceConfig, { journal, catalog, folder, keep, onDamage }: Surroundings): Promise<OpenIndexes> => {
  const { shares } = config.indexes;
  const vectors = keep(openVectors(config, journal));
  const own = config.indexes.lexical === 'local';
  const bm25 = own ? keep(await openBm25Index({ root: folder.lexical, onDamage })) : undefined;
  const lexical = bm25 ?? keep(openQdrantLexicalIndex({ ...connection(config), analyse: occurrences, analyseQuery, queryLanguage, analyserVersion: BM25_ANALYSER_VERSION }));
  const writer = new SharedIndexWriter({ vectors, ...(own ? {} : { lexical }) }, { shares, removalsBetween: removalsOnTheLog(journal, catalog) });
  return { vectors, lexical, writer, shares, digests: { vector: vectorDigest, lexical: lexicalDigest }, warmUp: () => bm25?.warmUp(), check: async (pace) => bm25?.check(pace) };
};
