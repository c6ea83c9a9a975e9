import { analyse, analyseQuery, BM25_ANALYSER_VERSION, openBm25Index, queryLanguage } from '@palimpsest/adapters-bm25';
import { openQdrantLexicalIndex, openQdrantVectorIndex } from '@palimpsest/adapters-qdrant';
import { lexicalDigest, vectorDigest, type Journal } from '@palimpsest/contracts';
import type { Pace } from '@palimpsest/foundation';
import type { Catalog, IndexPartition, LexicalIndex, SharedVectors, VectorIndex } from '@palimpsest/knowledge/read-models';
import { removalsOnTheLog, SharedIndexWriter, type Digests } from '@palimpsest/projections';
import { generationVersions } from './generation-versions.ts';
import type { Keep } from './open-servers.ts';
import type { QdrantConfig, QueryServiceConfig, ServerConfig } from './settings.ts';
import type { StateFolder } from './state-folder.ts';

export type OpenIndexes = Readonly<{
  vectors: VectorIndex & SharedVectors;
  lexical: LexicalIndex;
  writer: SharedIndexWriter;
  shares: number;
  digests: Digests;
  warmUp: () => void;
  check: (pace: Pace) => Promise<void>;
}>;

type IndexDependencies = Readonly<{
  journal: Journal;
  catalog: Catalog;
  folder: StateFolder;
  keep: Keep;
  /** Called if the local BM25 index of the replica detects damage after opening. */
  onDamage: (partition: IndexPartition, reason: string) => void;
}>;

const connection = ({ namespace, qdrant }: ServerConfig & Readonly<{ qdrant: QdrantConfig }>) => ({
  url: qdrant.url,
  prefix: `${namespace}-`,
  replicationFactor: qdrant.replication,
  ...(qdrant.apiKey === undefined ? {} : { apiKey: qdrant.apiKey }),
});

export const openVectors = (config: ServerConfig & Readonly<{ qdrant: QdrantConfig }>, journal: Journal) =>
  openQdrantVectorIndex({
    ...connection(config),
    versionOf: generationVersions(journal),
    exact: config.qdrant.exact,
    quantization: config.qdrant.quantization,
  });

/** All occurrences of all terms, in no particular order. */
const occurrences = (text: string, language: string): string[] =>
  [...analyse(text, language).terms].flatMap(([term, frequency]) => Array.from({ length: frequency }, () => term));

/** Indexes of a query replica: vectors in Qdrant, written by all replicas together, and BM25, local or also in Qdrant. */
export const openIndexes = async (
  config: QueryServiceConfig,
  { journal, catalog, folder, keep, onDamage }: IndexDependencies,
): Promise<OpenIndexes> => {
  const { shares } = config.indexes;
  const vectors = keep(openVectors(config, journal));
  const own = config.indexes.lexical === 'local';
  const bm25 = own ? keep(await openBm25Index({ root: folder.lexical, onDamage })) : undefined;
  const lexical =
    bm25 ??
    keep(
      openQdrantLexicalIndex({
        ...connection(config),
        analyse: occurrences,
        analyseQuery,
        queryLanguage,
        analyserVersion: BM25_ANALYSER_VERSION,
      }),
    );
  const writer = new SharedIndexWriter(
    { vectors, ...(own ? {} : { lexical }) },
    { shares, removalsBetween: removalsOnTheLog(journal, catalog) },
  );
  return {
    vectors,
    lexical,
    writer,
    shares,
    digests: { vector: vectorDigest, lexical: lexicalDigest },
    warmUp: () => bm25?.warmUp(),
    check: async (pace) => bm25?.check(pace),
  };
};
