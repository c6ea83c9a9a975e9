import { resolve } from 'node:path';
import { z } from 'zod';
import {
  embeddingOf,
  embeddingSettings,
  httpOf,
  httpSettings,
  ingestionOf,
  ingestionSettings,
  reembeddingOf,
  reembeddingSettings,
  queryOf,
  querySettings,
  readSettings,
  whole,
} from '../settings/process-settings.ts';
import { InvalidValue } from '@palimpsest/knowledge/errors';

const text = () => z.string().min(1);
const secret = () => z.string().min(1);

/** Settings that all services of an installation share: the addresses and credentials of the servers. */
const serverSettings = {
  PALIMPSEST_NAMESPACE: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,39}$/, 'expected up to 40 lower-case letters, digits and "-", starting with a letter')
    .default('palimpsest')
    .describe('prefix of topics and collections, so that several installations can share servers; the same for all services'),
  PALIMPSEST_EVENTSTORE_URL: text().describe(
    'connection string of EventStoreDB or KurrentDB, with credentials and TLS: `esdb://user:password@host:2113?tls=true`',
  ),
  PALIMPSEST_EVENTSTORE_NAMESPACE: z
    .string()
    .regex(/^[A-Za-z0-9_]{1,40}$/, 'expected up to 40 letters, digits and "_"')
    .optional()
    .describe('prefix of all streams, so that several installations can share one server; not needed for a dedicated server'),
  PALIMPSEST_KAFKA_BROKERS: text().describe('Kafka brokers, `host:port`, comma-separated'),
  PALIMPSEST_KAFKA_PARTITIONS: whole(1, 1_000, 12).describe(
    'partitions of each created topic; also the maximum number of workers of a topic',
  ),
  PALIMPSEST_KAFKA_REPLICATION: whole(1, 9, 1).describe('replicas of each created topic; 3 on a cluster'),
  PALIMPSEST_KAFKA_TLS: z.enum(['true', 'false']).default('false').describe('use TLS for connections to the brokers'),
  PALIMPSEST_KAFKA_USERNAME: text().optional().describe('SASL user (SCRAM-SHA-512)'),
  PALIMPSEST_KAFKA_PASSWORD: secret().optional().describe('SASL password'),
  PALIMPSEST_S3_ENDPOINT: z.url().optional().describe('URL of an S3-compatible store; default Amazon S3'),
  PALIMPSEST_S3_REGION: text().default('us-east-1').describe('S3 region'),
  PALIMPSEST_S3_BUCKET: text().describe('bucket for uploads, wrapped keys and snapshots; must exist'),
  PALIMPSEST_S3_ACCESS_KEY_ID: text().optional().describe('S3 access key; default: the standard AWS credential chain'),
  PALIMPSEST_S3_SECRET_ACCESS_KEY: secret().optional().describe('secret of the S3 access key'),
  PALIMPSEST_REDIS_URL: z.url().optional().describe('URL of a private Redis for embeddings and rate limits that all replicas share'),
  PALIMPSEST_MASTER_KEY: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'expected 64 hexadecimal digits')
    .describe('32 bytes in hexadecimal digits that wrap the keys of scopes; the same for all services; must never change'),
  PALIMPSEST_ADMIN_KEY: z
    .string()
    .regex(/^plk_[A-Za-z0-9_-]{32,100}$/, 'expected "plk_" and at least 32 letters, digits, "_" or "-"')
    .optional()
    .describe('secret of the first API key, with the roles operator and admin; created if it does not exist'),
  PALIMPSEST_WORKERS: whole(1, 1_000, 8).describe(
    'number of documents that all ingestion replicas together process at the same time; the relay keeps enough on the bus that no worker is idle',
  ),
  PALIMPSEST_STATE: text().default('.palimpsest-state').describe('folder for the local state of this replica; it can be rebuilt'),
};

/** Settings of the services that read or write vectors. */
export const qdrantSettings = {
  PALIMPSEST_QDRANT_URL: z.url().describe('URL of Qdrant'),
  PALIMPSEST_QDRANT_API_KEY: secret().optional().describe('API key of Qdrant'),
  PALIMPSEST_QDRANT_REPLICATION: whole(1, 9, 1).describe('replicas of each created collection'),
  PALIMPSEST_QDRANT_QUANTIZATION: z
    .enum(['none', 'scalar', 'binary'])
    .default('none')
    .describe('how Qdrant compresses vectors; the originals are kept as well'),
  PALIMPSEST_QDRANT_EXACT: z
    .enum(['true', 'false'])
    .default('true')
    .describe('compare all vectors of a scope (deterministic results); `false` uses the HNSW graph'),
};

/** Settings of the query service. */
export const indexSettings = {
  PALIMPSEST_VECTOR_SHARES: whole(1, 256, 16).describe(
    'shares into which the work on shared indexes is split; also the maximum number of replicas that write. Must never change',
  ),
  PALIMPSEST_LEXICAL: z
    .enum(['local', 'qdrant'])
    .default('local')
    .describe(
      'location of the BM25 index: in every replica (exact, per scope), or in Qdrant 1.19 or newer (for scopes too large for a replica; scores by an assumed length of a passage)',
    ),
  PALIMPSEST_SNAPSHOT_MINUTES: whole(0, 10_080, 60).describe(
    'minutes between snapshots, from which new replicas start; 0 disables snapshots',
  ),
};

type ServerEnv = z.output<z.ZodObject<typeof serverSettings>>;

/** Requires that two settings are set together. */
const together = (env: Readonly<Record<string, unknown>>, one: string, other: string): void => {
  for (const [given, missing] of [
    [one, other],
    [other, one],
  ] as const)
    if (env[given] !== undefined && env[missing] === undefined)
      throw new InvalidValue(missing, `a value, since ${given} is set`, undefined);
};

const serversOf = (env: ServerEnv) => {
  together(env, 'PALIMPSEST_KAFKA_USERNAME', 'PALIMPSEST_KAFKA_PASSWORD');
  together(env, 'PALIMPSEST_S3_ACCESS_KEY_ID', 'PALIMPSEST_S3_SECRET_ACCESS_KEY');
  return {
    namespace: env.PALIMPSEST_NAMESPACE,
    eventStore: { connectionString: env.PALIMPSEST_EVENTSTORE_URL, namespace: env.PALIMPSEST_EVENTSTORE_NAMESPACE },
    kafka: {
      brokers: env.PALIMPSEST_KAFKA_BROKERS.split(',')
        .map((broker) => broker.trim())
        .filter((broker) => broker !== ''),
      partitions: env.PALIMPSEST_KAFKA_PARTITIONS,
      replication: env.PALIMPSEST_KAFKA_REPLICATION,
      ssl: env.PALIMPSEST_KAFKA_TLS === 'true',
      sasl:
        env.PALIMPSEST_KAFKA_USERNAME === undefined
          ? undefined
          : { mechanism: 'scram-sha-512' as const, username: env.PALIMPSEST_KAFKA_USERNAME, password: env.PALIMPSEST_KAFKA_PASSWORD ?? '' },
    },
    s3: {
      endpoint: env.PALIMPSEST_S3_ENDPOINT,
      region: env.PALIMPSEST_S3_REGION,
      bucket: env.PALIMPSEST_S3_BUCKET,
      accessKeyId: env.PALIMPSEST_S3_ACCESS_KEY_ID,
      secretAccessKey: env.PALIMPSEST_S3_SECRET_ACCESS_KEY,
    },
    redis: env.PALIMPSEST_REDIS_URL,
    masterKey: Uint8Array.from(Buffer.from(env.PALIMPSEST_MASTER_KEY, 'hex')),
    adminKey: env.PALIMPSEST_ADMIN_KEY,
    relayMin: 2 * env.PALIMPSEST_WORKERS,
    relayWindow: Math.max(32, 4 * env.PALIMPSEST_WORKERS),
    state: resolve(env.PALIMPSEST_STATE),
  };
};

const qdrantOf = (env: z.output<z.ZodObject<typeof qdrantSettings>>) => {
  // Compressed vectors are for the graph. An exact search would read the originals, which are then on disk.
  if (env.PALIMPSEST_QDRANT_QUANTIZATION !== 'none' && env.PALIMPSEST_QDRANT_EXACT === 'true')
    throw new InvalidValue('PALIMPSEST_QDRANT_EXACT', '`false`, since PALIMPSEST_QDRANT_QUANTIZATION is set', 'true');
  return {
    url: env.PALIMPSEST_QDRANT_URL,
    apiKey: env.PALIMPSEST_QDRANT_API_KEY,
    replication: env.PALIMPSEST_QDRANT_REPLICATION,
    quantization: env.PALIMPSEST_QDRANT_QUANTIZATION,
    exact: env.PALIMPSEST_QDRANT_EXACT === 'true',
  };
};

const indexesOf = (env: z.output<z.ZodObject<typeof indexSettings>>) => ({
  shares: env.PALIMPSEST_VECTOR_SHARES,
  lexical: env.PALIMPSEST_LEXICAL,
  snapshotMinutes: env.PALIMPSEST_SNAPSHOT_MINUTES,
});

export type ServerConfig = ReturnType<typeof serversOf>;
export type QdrantConfig = ReturnType<typeof qdrantOf>;

/** Each service has its own default port, so that all can run on one machine. */
const onPort = (port: number) => ({ ...httpSettings, PALIMPSEST_PORT: whole(0, 65_535, port).describe('TCP port; 0 selects a free port') });

export const ingestionServiceSettings = z.object({ ...onPort(7331), ...serverSettings, ...ingestionSettings, ...embeddingSettings });
export const reembeddingServiceSettings = z.object({
  ...onPort(7332),
  ...serverSettings,
  ...qdrantSettings,
  ...reembeddingSettings,
  PALIMPSEST_PARSERS: ingestionSettings.PALIMPSEST_PARSERS,
  ...embeddingSettings,
});
export const queryServiceSettings = z.object({
  ...onPort(7333),
  ...serverSettings,
  ...qdrantSettings,
  ...indexSettings,
  ...embeddingSettings,
  ...querySettings,
});

/** All settings: one environment can be used for all three services. */
const ALL = [
  ...new Set([ingestionServiceSettings, reembeddingServiceSettings, queryServiceSettings].flatMap(({ shape }) => Object.keys(shape))),
];

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws InvalidValue with the name of the variable */
export const ingestionServiceConfig = (env: Environment) =>
  readSettings(
    ingestionServiceSettings,
    (read, environment) => ({ ...httpOf(read), ...serversOf(read), ...ingestionOf(read), embedding: embeddingOf(read, environment) }),
    env,
    ALL,
  );

/** @throws InvalidValue with the name of the variable */
export const reembeddingServiceConfig = (env: Environment) =>
  readSettings(
    reembeddingServiceSettings,
    (read, environment) => ({
      ...httpOf(read),
      ...serversOf(read),
      qdrant: qdrantOf(read),
      ...reembeddingOf(read),
      parsers: read.PALIMPSEST_PARSERS,
      embedding: embeddingOf(read, environment),
    }),
    env,
    ALL,
  );

/** @throws InvalidValue with the name of the variable */
export const queryServiceConfig = (env: Environment) =>
  readSettings(
    queryServiceSettings,
    (read, environment) => ({
      ...httpOf(read),
      ...serversOf(read),
      qdrant: qdrantOf(read),
      indexes: indexesOf(read),
      ...queryOf(read),
      embedding: embeddingOf(read, environment),
    }),
    env,
    ALL,
  );

export type IngestionServiceConfig = ReturnType<typeof ingestionServiceConfig>;
export type ReembeddingServiceConfig = ReturnType<typeof reembeddingServiceConfig>;
export type QueryServiceConfig = ReturnType<typeof queryServiceConfig>;
export type ServiceConfig = IngestionServiceConfig | ReembeddingServiceConfig | QueryServiceConfig;
