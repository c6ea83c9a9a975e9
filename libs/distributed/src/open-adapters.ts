import { BM25_ANALYSER_VERSION } from '@palimpsest/adapters-bm25';
import { gptTokenCounter, openDocumentParser } from '@palimpsest/adapters-documents';
import { openBlobCheckpoints } from '@palimpsest/adapters-s3';
import { openSqliteCatalog, openSqliteCheckpoints } from '@palimpsest/adapters-sqlite';
import type { Journal } from '@palimpsest/contracts';
import { createQuotaPolicy, NO_TELEMETRY, openEmbeddingModels, type MetricSources, type Telemetry } from '@palimpsest/host';
import { MAX_YIELDED_DOCUMENTS } from '@palimpsest/ingestion';
import { Corrupt, type Position } from '@palimpsest/knowledge';
import { DIGESTS, EMBEDDING_CALLS, ReadModelRunner, RELAY_OPTIONS, SHARED_WRITER } from '@palimpsest/projections';
import { ApiKeys, now, PORT, type OnFault, type TenantQuotaPolicy } from '@palimpsest/runtime';
import { openIndexes, openVectors, type OpenIndexes } from './open-indexes.ts';
import { openRateBuckets, openServers, PLATFORM, sharedCache } from './open-servers.ts';
import type { ServiceConfig } from './settings.ts';
import { Snapshots } from './snapshots.ts';
import { openStateFolder } from './state-folder.ts';

export type OpenAdapters = Readonly<{
  bound: ReadonlyMap<symbol, unknown>;
  journal: Journal;
  apiKeys: ApiKeys;
  quotaPolicy: TenantQuotaPolicy;
  /** Only in the query service. */
  snapshots?: Snapshots;
  /** Position of the snapshot that this process started from, if any. */
  restored?: Position;
  /** Sources of the metrics. */
  sources: MetricSources;
  /** Closes the adapters in reverse order of opening. */
  close: () => Promise<void>;
}>;

/** Opens the distributed adapters that the service with this configuration needs. */
export const openDistributedAdapters = async (
  service: string,
  config: ServiceConfig,
  { onFault, onNotice, telemetry = NO_TELEMETRY }: Readonly<{ onFault: OnFault; onNotice: OnFault; telemetry?: Telemetry }>,
): Promise<OpenAdapters> => {
  const opened: { close: () => Promise<void> }[] = [];
  const keep = <T extends { close: () => Promise<void> }>(adapter: T): T => (opened.unshift(adapter), adapter);
  const close = async (): Promise<void> => {
    for (const adapter of opened.splice(0)) await adapter.close();
  };
  try {
    const servers = await openServers(service, config, onNotice, telemetry, keep);
    const { journal, blobs, keys, bus } = servers;
    const folder = await openStateFolder(config.state);
    const snapshots = new Snapshots(blobs, keys, await keys.cipher(PLATFORM), folder);
    const restored = 'indexes' in config ? await restore(snapshots, onFault) : undefined;
    const catalog = keep(
      await openSqliteCatalog({
        file: folder.catalog,
        onDamage: (reason) => runner.catalogDamaged(reason),
        onEmptied: (reason) => onFault(new Corrupt(`the catalog ${folder.catalog} is rebuilt from the log: ${reason}`), 'opening the catalog'),
      }),
    );
    const checkpoints = keep(await openSqliteCheckpoints({ file: folder.checkpoints }));
    const shared = sharedCache(config, onNotice);
    const providers = keep(await openEmbeddingModels(config.embedding, (provider) => shared(telemetry.embedding(provider)), { analyser: BM25_ANALYSER_VERSION }));
    const parser = 'parsers' in config ? keep(await openDocumentParser({ processes: config.parsers, maxBytes: config.maxDocumentBytes })) : undefined;
    const indexes = 'indexes' in config ? await openIndexes(config, { journal, catalog, folder, keep, onDamage: (...found) => runner.indexDamaged('lexical', ...found) }) : undefined;
    const vectors = indexes?.vectors ?? ('qdrant' in config ? keep(openVectors(config, journal)) : undefined);
    const stores = { journal, catalog, keys, ...(indexes ? { vectors: indexes.vectors, lexical: indexes.lexical, shared: indexes.writer } : {}) };
    const runner = new ReadModelRunner(stores, {
      checkpoints,
      onError: (error) => onFault(error, 'projecting events'),
      onProjected: telemetry.projected,
      purgeAfterMs: config.purgeMs,
      ...(indexes ? { onServing: indexes.warmUp, checkIndexes: indexes.check } : {}),
    });
    const sources = { log: journal.log, catalog, bus, runner, embeddings: providers, queueCapacity: config.queueCapacity };
    telemetry.watch(sources);
    const apiKeys = new ApiKeys(journal, now);
    const buckets = keep(openRateBuckets(config, onNotice));
    const quotaPolicy = createQuotaPolicy({ journal, catalog, readModels: runner, tiers: config.tiers, onFault, buckets });
    const bound = new Map<symbol, unknown>([
      ...boundServers(servers),
      [PORT.EmbeddingProviders, providers],
      [PORT.Catalog, catalog],
      [PORT.TokenCounter, gptTokenCounter()],
      [PORT.ReadModels, runner],
      [PORT.QuotaPolicy, quotaPolicy],
      [PORT.Settings, config],
      // Documents that take long to parse stay on the bus, so the window has extra space for them.
      [RELAY_OPTIONS, { min: config.relayMin + MAX_YIELDED_DOCUMENTS, window: config.relayWindow }],
      [PORT.OnFault, onFault],
      [PORT.Figures, telemetry.figures],
      [EMBEDDING_CALLS, telemetry.figures.embeddingCalls],
      ...(parser ? ([[PORT.DocumentParser, parser]] as const) : []),
      ...(vectors ? ([[PORT.VectorIndex, vectors]] as const) : []),
      ...(indexes ? boundIndexes(indexes) : []),
    ]);
    return { bound, journal, apiKeys, quotaPolicy, sources, close, ...(indexes ? { snapshots } : {}), ...(restored === undefined ? {} : { restored }) };
  } catch (error) {
    await close();
    throw error;
  }
};

type Bound = readonly (readonly [symbol, unknown])[];

const boundServers = ({ journal, blobs, keys, bus, shares }: Awaited<ReturnType<typeof openServers>>): Bound => [
  [PORT.Journal, journal],
  [PORT.BlobStore, blobs],
  [PORT.ScopeKeys, keys],
  [PORT.MessageBus, bus],
  [PORT.PartitionLeases, shares],
  // Checkpoints of the relay, which can move to another process.
  [PORT.Checkpoints, openBlobCheckpoints(blobs)],
];

const boundIndexes = ({ lexical, writer, shares, digests }: OpenIndexes): Bound => [
  [PORT.LexicalIndex, lexical],
  [SHARED_WRITER, { writer, shares }],
  [DIGESTS, digests],
];

const restore = (snapshots: Snapshots, onFault: OnFault): Promise<Position | undefined> =>
  snapshots.restore().catch((error: unknown) => {
    onFault(error, 'restoring a snapshot; the state is built from the log instead');
    return undefined;
  });
