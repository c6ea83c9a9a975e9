import { mkdir } from 'node:fs/promises';
import { analyse, analyseQuery, BM25_ANALYSER_VERSION, openBm25Index, queryLanguage } from '@palimpsest/adapters-bm25';
import { openSqliteCatalog, type SqliteCatalog } from '@palimpsest/adapters-sqlite';
import { openQdrantLexicalIndex, openQdrantVectorIndex, QDRANT_FORMAT } from '@palimpsest/adapters-qdrant';
import { lexicalDigest, vectorDigest, type Journal } from '@palimpsest/contracts';
import type { Pace } from '@palimpsest/foundation';
import { Corrupt } from '@palimpsest/knowledge/errors';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { IndexPartition, LexicalIndex, SharedVectors, VectorIndex } from '@palimpsest/knowledge/read-models';
import {
  Exchangeable,
  removalsOnTheLog,
  SharedIndexWriter,
  SharedIndexRepair,
  type Digests,
  type SetAlongside,
} from '@palimpsest/projections';
import type { OnFault } from '@palimpsest/runtime';
import { ReadModelSets } from '../read-model-sets.ts';
import { generationVersions } from './generation-versions.ts';
import type { Keep } from './open-servers.ts';
import type { QdrantConfig, QueryServiceConfig, ServerConfig } from './settings.ts';
import { catalogIn, isReadModel, lexicalIn, type StateFolder } from './state-folder.ts';

/** The read models of a query replica. */
export type OpenReadModels = Readonly<{
  catalog: SqliteCatalog;
  vectors: VectorIndex & SharedVectors;
  lexical: LexicalIndex;
  writer: SharedIndexWriter;
  shares: number;
  /** Of what is in Qdrant: processes that write another one do not share this work. */
  format: number;
  digests: Digests;
  warmUp: () => void;
  check: (pace: Pace) => Promise<void>;
  /** The folder of the words now: another one after a rebuild. */
  lexicalFolder: () => string;
  alongside: () => Promise<SetAlongside>;
}>;

type Dependencies = Readonly<{
  journal: Journal;
  keys: ScopeKeys;
  folder: StateFolder;
  keep: Keep;
  onFault: OnFault;
  /** Called if the local data of the replica is found damaged after opening. */
  damaged: Readonly<{ catalog: (reason: string) => void; lexical: (partition: IndexPartition, reason: string) => void }>;
}>;

type Connected = ServerConfig & Readonly<{ qdrant: QdrantConfig; purgeMs: number }>;

const connection = ({ namespace, qdrant, purgeMs }: Connected, keys: ScopeKeys) => ({
  url: qdrant.url,
  prefix: `${namespace}-`,
  replicationFactor: qdrant.replication,
  keys,
  // While an upgrade replaces the replicas one by one, those of the earlier version search what they have written.
  earlierFormatsMs: purgeMs,
  ...(qdrant.apiKey === undefined ? {} : { apiKey: qdrant.apiKey }),
});

export const openVectors = (config: Connected, journal: Journal, keys: ScopeKeys) =>
  openQdrantVectorIndex({
    ...connection(config, keys),
    versionOf: generationVersions(journal),
    exact: config.qdrant.exact,
    quantization: config.qdrant.quantization,
  });

/** All occurrences of all terms, in no particular order. */
const occurrences = (text: string, language: string): string[] =>
  [...analyse(text, language).terms].flatMap(([term, frequency]) => Array.from({ length: frequency }, () => term));

const openLexical = (config: QueryServiceConfig, keys: ScopeKeys) =>
  openQdrantLexicalIndex({
    ...connection(config, keys),
    analyse: occurrences,
    analyseQuery,
    queryLanguage,
    analyserVersion: BM25_ANALYSER_VERSION,
  });

/**
 * The catalog and BM25 in the state folder, and the vectors in Qdrant, written by all replicas together. BM25 can be in Qdrant, too. A
 * rebuild exchanges the part in the state folder, and writes the rest again where it is.
 */
export const openReadModels = async (
  config: QueryServiceConfig,
  { journal, keys, folder, keep, onFault, damaged }: Dependencies,
): Promise<OpenReadModels> => {
  const { shares } = config.indexes;
  const vectors = keep(openVectors(config, journal, keys));
  const sharedLexical = config.indexes.lexical === 'local' ? undefined : keep(openLexical(config, keys));
  const openSet = async (root: string, isCurrent: () => boolean) => {
    const lexicalFolder = lexicalIn(root);
    await mkdir(lexicalFolder, { recursive: true, mode: 0o700 });
    const onDamage = (partition: IndexPartition, reason: string): void => void (isCurrent() && damaged.lexical(partition, reason));
    const bm25 = sharedLexical ? undefined : await openBm25Index({ root: lexicalFolder, keys, onDamage });
    return {
      catalog: await openSqliteCatalog({
        file: catalogIn(root),
        isServing: isCurrent,
        onDamage: (reason) => isCurrent() && damaged.catalog(reason),
        onEmptied: (reason) => onFault(new Corrupt(`the catalog in ${root} is rebuilt from the log: ${reason}`), 'opening the catalog'),
      }),
      vectors: staysOpen(vectors),
      lexical: bm25 ?? staysOpen(sharedLexical as LexicalIndex),
      lexicalFolder,
      bm25,
    };
  };
  const onError = (error: unknown): void => onFault(error, 'deleting previous read models');
  const sets = keep(await ReadModelSets.open(folder.root, openSet, { onError, isOwn: isReadModel }));
  const { catalog, lexical } = sets;
  const removalsBetween = removalsOnTheLog(journal, catalog);
  const shared = { vectors, ...(sharedLexical ? { lexical: sharedLexical } : {}) };
  const removeUnused = async (): Promise<void> => {
    await vectors.removeUnused();
    await sharedLexical?.removeUnused();
  };
  const alongside = async (): Promise<SetAlongside> => ({
    ...(await sets.alongside()),
    shared: new SharedIndexRepair({ journal, ...shared, shares, removalsBetween, removeUnused }),
  });
  return {
    catalog,
    vectors,
    lexical,
    writer: new SharedIndexWriter(shared, { shares, removalsBetween }),
    shares,
    format: QDRANT_FORMAT,
    digests: { vector: vectorDigest, lexical: lexicalDigest },
    warmUp: () => sets.current.bm25?.warmUp(),
    check: async (pace) => sets.current.bm25?.check(pace),
    lexicalFolder: () => sets.current.lexicalFolder,
    alongside,
  };
};

/** The same port for a set that ends before it. */
const staysOpen = <T extends object>(port: T): T & Readonly<{ close: () => Promise<void> }> =>
  Object.assign(new Exchangeable(port).port, { close: async () => undefined });
