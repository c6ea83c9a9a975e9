import { lexicalDigest } from '@palimpsest/adapters-bm25';
import { openDocumentParser, gptTokenCounter } from '@palimpsest/adapters-documents';
import { openEventStoreLog } from '@palimpsest/adapters-eventstore';
import { openScopeKeys } from '@palimpsest/adapters-folder';
import { openKafkaMessageBus, openKafkaShares } from '@palimpsest/adapters-kafka';
import { lexicalDigestQdrant, vectorDigestQdrant } from '@palimpsest/adapters-qdrant';
import { redisCachedEmbeddings } from '@palimpsest/adapters-redis';
import { openBlobCheckpoints, openS3BlobStore } from '@palimpsest/adapters-s3';
import { openSqliteCatalog, openSqliteCheckpoints } from '@palimpsest/adapters-sqlite';
import { Journal } from '@palimpsest/contracts';
import { NO_TELEMETRY, openEmbeddingModels, type Telemetry } from '@palimpsest/host';
import { DEFAULT_TENANT, vectorScope } from '@palimpsest/knowledge';
import type { BlobStore, EmbeddingProvider, Position, ScopeKeys } from '@palimpsest/knowledge';
import { DIGESTS, ReadModelRunner, RELAY_OPTIONS, SHARED_WRITER } from '@palimpsest/projections';
import { ApiKeys, now, PORT, type OnFault } from '@palimpsest/runtime';
import { openIndexes, openVectors } from './open-indexes.ts';
import type { ServiceConfig } from './settings.ts';
import { Snapshots } from './snapshots.ts';
import { openStateFolder } from './state-folder.ts';

export type OpenAdapters = Readonly<{
  bound: ReadonlyMap<symbol, unknown>;
  journal: Journal;
  apiKeys: ApiKeys;
  /** Only of a service that answers queries. */
  snapshots?: Snapshots;
  /** The position of the snapshot that this process started from, if it did. */
  restored?: Position;
  /** In the reverse order of opening. */
  close: () => Promise<void>;
}>;

/** Whose key is made at the first start of an installation and opened at every later one; it seals snapshots. */
const PLATFORM = { tenant: DEFAULT_TENANT, scope: vectorScope('platform') };

/** The distributed set, as far as the service with this configuration needs it. */
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
    const journal = new Journal(telemetry.eventLog(keep(await openLog(config, onNotice))));
    const blobs = keep(await openBlobs(config));
    const keys = await openKeys(config, blobs);
    const kafka = kafkaOptions(service, config, onNotice);
    const bus = telemetry.messageBus(keep(await openKafkaMessageBus(kafka)));
    const shares = keep(await openKafkaShares(kafka));
    const folder = await openStateFolder(config.state);
    const snapshots = new Snapshots(blobs, await keys.cipher(PLATFORM), folder);
    const restored = 'indexes' in config ? await restore(snapshots, onFault) : undefined;
    const catalog = keep(await openSqliteCatalog({ file: folder.catalog }));
    const checkpoints = keep(await openSqliteCheckpoints({ file: folder.checkpoints }));
    const shared = sharedCache(config, onNotice);
    const providers = keep(await openEmbeddingModels(config.embedding, (provider) => shared(telemetry.embedding(provider))));
    const parser = 'parsers' in config ? keep(await openDocumentParser({ processes: config.parsers, maxBytes: config.maxDocumentBytes })) : undefined;
    const indexes = 'indexes' in config ? await openIndexes(config, { journal, catalog, folder, keep }) : undefined;
    const vectors = indexes?.vectors ?? ('qdrant' in config ? keep(await openVectors(config, journal)) : undefined);
    const stores = { journal, catalog, keys, ...(indexes ? { vectors: indexes.vectors, lexical: indexes.lexical, shared: indexes.writer } : {}) };
    const runner = new ReadModelRunner(stores, { checkpoints, onError: (error) => onFault(error, 'projecting events'), onProjected: telemetry.projected });
    telemetry.watch({ log: journal.log, catalog, bus, runner, embeddings: providers, queueCapacity: config.queueCapacity });
    const apiKeys = new ApiKeys(journal, now);
    const bound = new Map<symbol, unknown>([
      [PORT.Journal, journal],
      [PORT.MessageBus, bus],
      [PORT.Shares, shares],
      [PORT.BlobStore, blobs],
      [PORT.ScopeKeys, keys],
      [PORT.EmbeddingProviders, providers],
      [PORT.Catalog, catalog],
      [PORT.TokenCounter, gptTokenCounter()],
      // The relay's, wherever it runs next.
      [PORT.Checkpoints, openBlobCheckpoints(blobs)],
      [PORT.ReadModels, runner],
      [PORT.Settings, config],
      [RELAY_OPTIONS, { least: config.relayLeast, window: config.relayWindow }],
      [PORT.OnFault, onFault],
      [DIGESTS, { vector: vectorDigestQdrant, lexical: 'indexes' in config && config.indexes.lexical === 'qdrant' ? lexicalDigestQdrant : lexicalDigest }],
      ...(parser ? ([[PORT.DocumentParser, parser]] as const) : []),
      ...(vectors ? ([[PORT.VectorIndex, vectors]] as const) : []),
      ...(indexes ? ([[PORT.LexicalIndex, indexes.lexical], [SHARED_WRITER, { writer: indexes.writer, shares: indexes.shares }]] as const) : []),
    ]);
    return { bound, journal, apiKeys, close, ...(indexes ? { snapshots } : {}), ...(restored === undefined ? {} : { restored }) };
  } catch (error) {
    await close();
    throw error;
  }
};

const openLog = ({ eventStore: { connectionString, namespace } }: ServiceConfig, onNotice: OnFault) =>
  openEventStoreLog({ connectionString, onFault: (fault) => onNotice(fault, 'following the event log'), ...(namespace === undefined ? {} : { namespace }) });

const restore = (snapshots: Snapshots, onFault: OnFault): Promise<Position | undefined> =>
  snapshots.restore().catch((error: unknown) => {
    onFault(error, 'restoring a snapshot; the state is built from the log instead');
    return undefined;
  });

const openBlobs = ({ s3, namespace }: ServiceConfig) =>
  openS3BlobStore({
    region: s3.region,
    bucket: s3.bucket,
    prefix: namespace,
    ...(s3.endpoint === undefined ? {} : { endpoint: s3.endpoint }),
    ...(s3.accessKeyId === undefined ? {} : { accessKeyId: s3.accessKeyId }),
    ...(s3.secretAccessKey === undefined ? {} : { secretAccessKey: s3.secretAccessKey }),
  });

/** @throws WrongMasterKey when the installation was made with another one: nothing in it could be read, nor what is written now beside it */
const openKeys = async ({ masterKey }: ServiceConfig, blobs: BlobStore): Promise<ScopeKeys> => {
  const keys = openScopeKeys({ blobs, masterKey });
  await keys.cipher(PLATFORM);
  return keys;
};

const kafkaOptions = (service: string, { kafka, namespace }: ServiceConfig, onNotice: OnFault) => ({
  brokers: kafka.brokers,
  // Topics are called `palimpsest.…` by themselves.
  prefix: namespace === 'palimpsest' ? '' : `${namespace}.`,
  clientId: `${namespace}-${service}`,
  partitions: kafka.partitions,
  replication: kafka.replication,
  ssl: kafka.ssl,
  ...(kafka.sasl === undefined ? {} : { sasl: kafka.sasl }),
  onFault: (error: unknown) => onNotice(error, 'Kafka'),
});

/** Between the model and the cache of this process. */
const sharedCache = ({ redis, masterKey }: ServiceConfig, onNotice: OnFault): ((provider: EmbeddingProvider) => EmbeddingProvider) => {
  if (redis === undefined) return (provider) => provider;
  const options = { url: redis, secret: Buffer.from(masterKey).toString('hex'), onFault: (error: unknown) => onNotice(error, 'the shared cache of embeddings') };
  return (provider) => redisCachedEmbeddings(provider, options);
};
