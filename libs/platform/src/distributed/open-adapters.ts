import { openDocumentParser } from '@palimpsest/adapters-documents';
import { openBlobCheckpoints } from '@palimpsest/adapters-s3';
import { openSqliteCatalog, openSqliteCheckpoints, type SqliteCatalog } from '@palimpsest/adapters-sqlite';
import { SYSTEM } from '@palimpsest/foundation';
import { NO_TELEMETRY, type MetricSources, type Telemetry } from '@palimpsest/telemetry';
import { MAX_YIELDED_DOCUMENTS } from '@palimpsest/ingestion';
import { Corrupt } from '@palimpsest/knowledge/errors';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import type { Position } from '@palimpsest/knowledge/values';
import { ReadModelRunner } from '@palimpsest/projections';
import type { OnFault } from '@palimpsest/runtime';
import type { PortsOf } from '../create-platform.ts';
import type { INGESTION_SERVICE, QUERY_SERVICE, REEMBEDDING_SERVICE } from '../features.ts';
import { openModels } from '../models/open-models.ts';
import { rechunking } from '../rechunking.ts';
import { openPastViews } from '../open-past-views.ts';
import { openIndexes, openVectors, type OpenIndexes } from './open-indexes.ts';
import { openRateBuckets, openServers, PLATFORM, sharedCache, type Keep } from './open-servers.ts';
import type { IngestionServiceConfig, QueryServiceConfig, ReembeddingServiceConfig, ServiceConfig } from './settings.ts';
import { Snapshots } from './snapshots.ts';
import { openStateFolder, type StateFolder } from './state-folder.ts';

export type Context = Readonly<{ onFault: OnFault; onNotice: OnFault; telemetry?: Telemetry }>;

export type OpenAdapters<Ports> = Readonly<{
  ports: Ports;
  /** Sources of the metrics. */
  sources: MetricSources;
  /** Closes the adapters in reverse order of opening. */
  close: () => Promise<void>;
}>;

export type QueryAdapters = OpenAdapters<PortsOf<typeof QUERY_SERVICE>> &
  Readonly<{
    snapshots: Snapshots;
    catalog: SqliteCatalog;
    /** Position of the snapshot that this process started from, if any. */
    restored: Position | undefined;
  }>;

export const openIngestionAdapters = (
  config: IngestionServiceConfig,
  context: Context,
): Promise<OpenAdapters<PortsOf<typeof INGESTION_SERVICE>>> =>
  opening('ingestion', config, context, async (base) => {
    const { ports, sources } = await openState(base, config, NO_INDEXES);
    const parser = base.keep(await openDocumentParser({ processes: config.parsers, maxBytes: config.maxDocumentBytes }));
    return { ports: { ...ports, parser, settings: config }, sources };
  });

export const openReembeddingAdapters = (
  config: ReembeddingServiceConfig,
  context: Context,
): Promise<OpenAdapters<PortsOf<typeof REEMBEDDING_SERVICE>>> =>
  opening('reembedding', config, context, async (base) => {
    const { ports, sources } = await openState(base, config, NO_INDEXES);
    const parser = base.keep(await openDocumentParser({ processes: config.parsers, maxBytes: config.maxDocumentBytes }));
    const rechunk = rechunking({ ...ports, parser });
    return { ports: { ...ports, rechunk, vectors: base.keep(openVectors(config, ports.journal)), settings: config }, sources };
  });

export const openQueryAdapters = (config: QueryServiceConfig, context: Context): Promise<QueryAdapters> =>
  opening('query', config, context, async (base) => {
    const {
      servers: { journal, blobs, keys },
      folder,
      keep,
    } = base;
    const snapshots = new Snapshots(blobs, keys, await keys.cipher(PLATFORM), folder);
    const restored = await restore(snapshots, context.onFault);
    const {
      ports,
      sources,
      catalog,
      indexes: { vectors, lexical, writer, shares, digests },
    } = await openState(base, config, (parts) => openIndexes(config, { journal, folder, keep, ...parts }));
    const { onFault } = context;
    const pastViews = keep(await openPastViews(folder.pastViews, { journal, keys, keepMs: config.purgeMs, onFault }));
    return {
      ports: { ...ports, vectors, lexical, pastViews, digests, sharedIndexes: { writer, shares }, settings: config },
      sources,
      snapshots,
      catalog,
      restored,
    };
  });

type Base = Readonly<{ servers: Awaited<ReturnType<typeof openServers>>; folder: StateFolder; keep: Keep; telemetry: Telemetry }> & Context;

/** Opens the servers and the state folder, then the rest. If a step fails, everything opened so far is closed. */
const opening = async <Opened extends object>(
  service: string,
  config: ServiceConfig,
  context: Context,
  open: (base: Base) => Promise<Opened>,
): Promise<Opened & Readonly<{ close: () => Promise<void> }>> => {
  const opened: { close: () => Promise<void> }[] = [];
  const keep: Keep = (adapter) => (opened.unshift(adapter), adapter);
  const close = async (): Promise<void> => {
    for (const adapter of opened.splice(0)) await adapter.close();
  };
  const { telemetry = NO_TELEMETRY } = context;
  try {
    const servers = await openServers(service, config, context.onNotice, telemetry, keep);
    return { ...(await open({ ...context, telemetry, servers, folder: await openStateFolder(config.state), keep })), close };
  } catch (error) {
    await close();
    throw error;
  }
};

type IndexParts = Readonly<{ catalog: SqliteCatalog; onDamage: (partition: IndexPartition, reason: string) => void }>;

const NO_INDEXES = async (): Promise<undefined> => undefined;

/** The local state, the models and the projection of a service: what all three have. */
const openState = async <Indexes extends OpenIndexes | undefined>(
  base: Base,
  config: ServiceConfig,
  openOwnIndexes: (parts: IndexParts) => Promise<Indexes>,
) => {
  const {
    servers: { journal, blobs, keys, bus, shares: leases },
    folder,
    keep,
    telemetry,
    onFault,
    onNotice,
  } = base;
  const catalog = keep(
    await openSqliteCatalog({
      file: folder.catalog,
      onDamage: (reason) => readModels.catalogDamaged(reason),
      onEmptied: (reason) =>
        onFault(new Corrupt(`the catalog ${folder.catalog} is rebuilt from the log: ${reason}`), 'opening the catalog'),
    }),
  );
  const checkpoints = keep(await openSqliteCheckpoints({ file: folder.checkpoints }));
  const shared = sharedCache(config, onNotice);
  const models = keep(await openModels(config.embedding, (provider) => shared(telemetry.embedding(provider))));
  const indexes = await openOwnIndexes({ catalog, onDamage: (...found) => readModels.indexDamaged('lexical', ...found) });
  const readModels = new ReadModelRunner(
    { journal, catalog, keys, ...(indexes ? { vectors: indexes.vectors, lexical: indexes.lexical, shared: indexes.writer } : {}) },
    {
      checkpoints,
      onError: (error) => onFault(error, 'projecting events'),
      onProjected: telemetry.projected,
      purgeAfterMs: config.purgeMs,
      ...(indexes ? { onServing: indexes.warmUp, checkIndexes: indexes.check } : {}),
    },
  );
  const sources: MetricSources = {
    log: journal.log,
    catalog,
    bus,
    runner: readModels,
    embeddings: models.ports.providers,
    queueCapacity: config.queueCapacity,
  };
  telemetry.watch(sources);
  const ports = {
    journal,
    blobs,
    keys,
    bus,
    leases,
    catalog,
    ...models.ports,
    readModels,
    onFault,
    system: SYSTEM,
    // Checkpoints of the relay, which can move to another process.
    checkpoints: openBlobCheckpoints(blobs),
    buckets: keep(openRateBuckets(config, onNotice)),
    // Documents that take long to parse stay on the bus, so the window has extra space for them.
    relay: { min: config.relayMin + MAX_YIELDED_DOCUMENTS, window: config.relayWindow },
    figures: telemetry.figures,
    embeddingCalls: telemetry.figures.embeddingCalls,
  };
  return { ports, sources, catalog, indexes };
};

const restore = (snapshots: Snapshots, onFault: OnFault): Promise<Position | undefined> =>
  snapshots.restore().catch((error: unknown) => {
    onFault(error, 'restoring a snapshot; the state is built from the log instead');
    return undefined;
  });
