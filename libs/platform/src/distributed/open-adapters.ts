import { masterKeyCipher } from '@palimpsest/adapters-folder';
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
import { openChat } from '../models/open-chat-model.ts';
import { openReranker } from '../models/open-reranker.ts';
import { rechunking } from '../rechunking.ts';
import { localFiles } from '../local-files.ts';
import { openPastCatalogs, openPastViews } from '../open-past-views.ts';
import { openReadModels, openVectors, type OpenReadModels } from './open-read-models.ts';
import { openRateBuckets, openServers, sharedCache, type Keep } from './open-servers.ts';
import type { IngestionServiceConfig, QueryServiceConfig, ReembeddingServiceConfig, ServiceConfig } from './settings.ts';
import { deleteSnapshotsBefore, Snapshots } from './snapshots.ts';
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
    /** The folder of the words now. */
    lexicalFolder: () => string;
    /** Position of the snapshot that this process started from, if any. */
    restored: Position | undefined;
  }>;

export const openIngestionAdapters = (
  config: IngestionServiceConfig,
  context: Context,
): Promise<OpenAdapters<PortsOf<typeof INGESTION_SERVICE>>> =>
  opening('ingestion', config, context, async (base) => {
    const { ports, sources } = await openState(base, config, catalogOnly(base));
    const { servers, folder, keep, onFault } = base;
    const parser = keep(await openDocumentParser({ processes: config.parsers, maxBytes: config.maxDocumentBytes }));
    const pastViews = keep(await openPastCatalogs(folder.pastViews, { ...servers, keepMs: config.purgeMs, onFault }));
    return { ports: { ...ports, parser, pastViews, settings: config }, sources };
  });

export const openReembeddingAdapters = (
  config: ReembeddingServiceConfig,
  context: Context,
): Promise<OpenAdapters<PortsOf<typeof REEMBEDDING_SERVICE>>> =>
  opening('reembedding', config, context, async (base) => {
    const { ports, sources } = await openState(base, config, catalogOnly(base));
    const parser = base.keep(await openDocumentParser({ processes: config.parsers, maxBytes: config.maxDocumentBytes }));
    const rechunk = rechunking({ ...ports, parser });
    const files = localFiles(base.folder.root, 'the files of one process; not those of other processes and of servers');
    const vectors = base.keep(openVectors(config, ports.journal, ports.keys));
    const snapshots = { deleteBefore: (at: Position) => deleteSnapshotsBefore(base.servers.blobs, at) };
    return { ports: { ...ports, rechunk, vectors, localFiles: files, snapshots, settings: config }, sources };
  });

export const openQueryAdapters = (config: QueryServiceConfig, context: Context): Promise<QueryAdapters> =>
  opening('query', config, context, async (base) => {
    const {
      servers: { journal, blobs, keys },
      folder,
      keep,
      onFault,
    } = base;
    const snapshots = new Snapshots(blobs, keys, masterKeyCipher(config.masterKey), folder);
    const restored = await restore(snapshots, onFault);
    const {
      ports,
      sources,
      catalog,
      opened: { vectors, lexical, writer, shares, format, digests, lexicalFolder, alongside },
    } = await openState(base, config, (damaged) => openReadModels(config, { journal, keys, folder, keep, onFault, damaged }));
    const pastViews = keep(await openPastViews(folder.pastViews, { journal, keys, keepMs: config.purgeMs, onFault }));
    return {
      ports: {
        ...ports,
        vectors,
        lexical,
        pastViews,
        digests,
        sharedIndexes: { writer, shares, format },
        alongside,
        settings: config,
      },
      sources,
      snapshots,
      catalog,
      lexicalFolder,
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

/** What damage of the local state is reported to. */
type Damaged = Readonly<{ catalog: (reason: string) => void; lexical: (partition: IndexPartition, reason: string) => void }>;
type Opened = Pick<OpenReadModels, 'catalog'> & Partial<Omit<OpenReadModels, 'catalog'>>;

/** The read models of a service that answers no queries. */
const catalogOnly =
  ({ folder: { catalog: file }, keep, onFault }: Base) =>
  async ({ catalog: onDamage }: Damaged): Promise<Pick<OpenReadModels, 'catalog'>> => {
    const onEmptied = (reason: string): void =>
      onFault(new Corrupt(`the catalog ${file} is rebuilt from the log: ${reason}`), 'opening the catalog');
    return { catalog: keep(await openSqliteCatalog({ file, onDamage, onEmptied })) };
  };

/** The local state, the models and the projection of a service: what all three have. */
const openState = async <Own extends Opened>(base: Base, config: ServiceConfig, openOwn: (damaged: Damaged) => Promise<Own>) => {
  const {
    servers: { journal, blobs, keys, signer, bus, shares: leases },
    folder,
    keep,
    telemetry,
    onFault,
    onNotice,
  } = base;
  const opened = await openOwn({
    catalog: (reason) => readModels.catalogDamaged(reason),
    lexical: (...found) => readModels.indexDamaged('lexical', ...found),
  });
  const { catalog, vectors, lexical, writer: shared, warmUp: onServing, check: checkIndexes }: Opened = opened;
  const checkpoints = keep(await openSqliteCheckpoints({ file: folder.checkpoints }));
  const cached = sharedCache(config, onNotice);
  const models = keep(await openModels(config.embedding, (provider) => cached(telemetry.embedding(provider))));
  const reranking = keep(await openReranker('reranker' in config ? config.reranker : undefined));
  const chat = keep(await openChat('chat' in config ? config.chat : undefined));
  const readModels = new ReadModelRunner(
    { journal, catalog, keys, ...(vectors && lexical && shared ? { vectors, lexical, shared } : {}) },
    {
      checkpoints,
      onError: (error) => onFault(error, 'projecting events'),
      onProjected: telemetry.projected,
      purgeAfterMs: config.purgeMs,
      ...(onServing && checkIndexes ? { onServing, checkIndexes } : {}),
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
    signer,
    bus,
    leases,
    catalog,
    ...models.ports,
    ...reranking.ports,
    ...chat.ports,
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
    observeRetrieval: telemetry.retrieval,
  };
  return { ports, sources, catalog, opened };
};

const restore = (snapshots: Snapshots, onFault: OnFault): Promise<Position | undefined> =>
  snapshots.restore().catch((error: unknown) => {
    onFault(error, 'restoring a snapshot; the state is built from the log instead');
    return undefined;
  });
