import { openEventStoreLog } from '@palimpsest/adapters-eventstore';
import { masterKeySigner, openScopeKeys } from '@palimpsest/adapters-folder';
import { openKafkaMessageBus, openKafkaShares } from '@palimpsest/adapters-kafka';
import { memoryRateBuckets } from '@palimpsest/adapters-rate-limits';
import { redisRateBuckets } from '@palimpsest/adapters-rate-limits/redis';
import { redisCachedEmbeddings } from '@palimpsest/adapters-redis';
import { openS3BlobStore } from '@palimpsest/adapters-s3';
import { Journal } from '@palimpsest/contracts';
import { withoutMemory } from '../models/embedding-models.ts';
import { verifyMasterKey } from '../verify-master-key.ts';
import type { Telemetry } from '@palimpsest/telemetry';
import type { RateBuckets } from '@palimpsest/knowledge/limits';
import type { BlobStore, EmbeddingProvider, ScopeKeys, TenantEmbeddings } from '@palimpsest/knowledge/ports';
import type { OnFault } from '@palimpsest/runtime';
import type { ServiceConfig } from './settings.ts';

/** Registers an adapter, to close all of them in reverse order. */
export type Keep = <T extends { close: () => Promise<void> }>(adapter: T) => T;

/** Connects to the servers that every service needs. `onNotice` receives errors from which a client recovers automatically. */
export const openServers = async (service: string, config: ServiceConfig, onNotice: OnFault, telemetry: Telemetry, keep: Keep) => {
  const log = telemetry.eventLog(keep(await openLog(config, onNotice)));
  const blobs = keep(await openBlobs(config));
  const keys = await openKeys(config, blobs);
  const journal = new Journal(log, keys);
  const kafka = kafkaOptions(service, config, onNotice);
  const bus = telemetry.messageBus(keep(await openKafkaMessageBus(kafka)));
  const shares = keep(await openKafkaShares(kafka));
  return { journal, blobs, keys, signer: masterKeySigner(config.masterKey), bus, shares };
};

const openLog = ({ eventStore: { connectionString, namespace } }: ServiceConfig, onNotice: OnFault) =>
  openEventStoreLog({
    connectionString,
    onFault: (fault) => onNotice(fault, 'following the event log'),
    ...(namespace === undefined ? {} : { namespace }),
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

/** @throws WrongMasterKey if the installation was created with another master key: old and new data could not be read together */
const openKeys = async ({ masterKey }: ServiceConfig, blobs: BlobStore): Promise<ScopeKeys> => {
  const keys = openScopeKeys({ blobs, masterKey });
  await verifyMasterKey(keys);
  return keys;
};

const kafkaOptions = (service: string, { kafka, namespace }: ServiceConfig, onNotice: OnFault) => ({
  brokers: kafka.brokers,
  // Topic names already start with `palimpsest.`.
  prefix: namespace === 'palimpsest' ? '' : `${namespace}.`,
  clientId: `${namespace}-${service}`,
  partitions: kafka.partitions,
  replication: kafka.replication,
  ssl: kafka.ssl,
  ...(kafka.sasl === undefined ? {} : { sasl: kafka.sasl }),
  onFault: (error: unknown) => onNotice(error, 'Kafka'),
});

/** The shared cache between the model and the cache of this process. */
export const sharedCache = (
  { redis, masterKey }: ServiceConfig,
  onNotice: OnFault,
): ((provider: EmbeddingProvider) => TenantEmbeddings) => {
  if (redis === undefined) return withoutMemory;
  const options = {
    url: redis,
    secret: Buffer.from(masterKey).toString('hex'),
    onFault: (error: unknown) => onNotice(error, 'the shared cache of embeddings'),
  };
  return (provider) => redisCachedEmbeddings(provider, options);
};

/** With Redis, all replicas share the rate windows. Without it, each replica counts separately. */
export const openRateBuckets = ({ redis, namespace }: ServiceConfig, onNotice: OnFault): RateBuckets =>
  redis === undefined
    ? memoryRateBuckets()
    : redisRateBuckets({
        url: redis,
        keyPrefix: `${namespace}:rate:`,
        onFault: (error) => onNotice(error, 'rates shared with other replicas'),
      });
