import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { parseInput } from '@palimpsest/contracts';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { MODEL_SOURCES } from '../models/model-sources.ts';
import { readModelsFile } from '../models/models-file.ts';
import { chatModelOf, chatSettings } from './chat-settings.ts';
import { rerankerOf, rerankerSettings } from './reranker-settings.ts';
import { readTiers } from './tiers.ts';

/** A whole number between `min` and `max`, with a default. */
export const whole = (min: number, max: number, byDefault: number) => z.coerce.number().int().min(min).max(max).default(byDefault);
const MIB = 1024 * 1024;

/** Settings of every process that serves HTTP. */
export const httpSettings = {
  PALIMPSEST_PORT: whole(0, 65_535, 7330).describe('TCP port; 0 selects a free port'),
  PALIMPSEST_HOST: z.string().min(1).default('127.0.0.1').describe('address to listen on; the default accepts only local connections'),
  PALIMPSEST_ALLOWED_HOSTS: z
    .string()
    .regex(/^[^\s,:/]+(?:\s*,\s*[^\s,:/]+)*$/, 'expected host names without ports, separated by commas')
    .optional()
    .describe(
      'host names, separated by commas, under which a reverse proxy reaches this server. A server on a loopback address accepts only these names and its own; any other server accepts every name unless this is set',
    ),
  PALIMPSEST_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug'])
    .optional()
    .describe('minimum log level; the default is `warn` on a terminal and `info` elsewhere'),
  PALIMPSEST_MAX_DOCUMENT_MB: whole(1, 1_024, 50).describe('maximum size of a document, in MiB'),
  PALIMPSEST_QUEUE_CAPACITY: whole(1, 1_000_000, 5_000).describe(
    'maximum number of documents waiting to be indexed; more are refused with 429',
  ),
  PALIMPSEST_LIVE_STREAMS: whole(1, 10_000, 100).describe(
    'maximum number of open streams of server-sent events for each tenant, in one process; more are refused with 429',
  ),
  PALIMPSEST_PURGE_MINUTES: z.coerce
    .number()
    .min(0.01)
    .max(10_080)
    .default(15)
    .describe('minutes after which words, vectors and titles of deleted documents are purged from the files of the read models'),
  PALIMPSEST_TIERS: z
    .string()
    .min(1)
    .optional()
    .describe('JSON file of tiers: rates, quotas, strategies and weights of tenants. Without it, tenants are not limited'),
  PALIMPSEST_CONCURRENT_SEARCHES: whole(1, 10_000, 16).describe('searches and contexts in progress at the same time'),
  PALIMPSEST_CONCURRENT_WRITES: whole(1, 10_000, 32).describe('write requests in progress at the same time, including uploads'),
  PALIMPSEST_CONCURRENT_READS: whole(1, 10_000, 32).describe(
    'other requests in progress at the same time. Live streams are not counted; probes and metrics are never refused',
  ),
  PALIMPSEST_WAITING_REQUESTS: whole(0, 100_000, 64).describe(
    'maximum number of queued requests of each of these three kinds; more are refused with 429',
  ),
  PALIMPSEST_WAITING_MS: whole(1, 600_000, 5_000).describe(
    'milliseconds that a request may wait in the queue before it is refused with 429. Drops to 10 % while the queue stays non-empty (CoDel)',
  ),
  PALIMPSEST_UPLOAD_MEMORY_MB: whole(1, 1_048_576, 256).describe(
    'MiB of request bodies read at the same time; requests that would exceed it wait in the queue',
  ),
  PALIMPSEST_BODY_SECONDS: whole(1, 3_600, 30).describe(
    'seconds after which an admitted request is ended if it sent nothing more of its body; a search must send its whole body within this time',
  ),
  PALIMPSEST_OTLP_ENDPOINT: z
    .url()
    .optional()
    .describe('address of an OpenTelemetry collector (OTLP over HTTP) for traces. Without it, the process records no traces'),
  PALIMPSEST_TRACE_TEXTS: z
    .enum(['true', 'false'])
    .default('false')
    .describe(
      'put the query and the passages found into the trace of a search, for tenants that record their queries (`recordQueries`). They leave the installation unsealed; without it, traces contain ids and figures only',
    ),
  PALIMPSEST_AUDIT_DAYS: whole(1, 36_500, 90).describe('days for which the audit trail is kept: who did what, when and from where'),
  PALIMPSEST_AUDIT_READS_PER_DAY: whole(0, 1_000_000_000, 100_000).describe(
    'maximum number of audit entries for reads and document writes that each process records per day and tenant; further requests are only counted. Administration is always recorded',
  ),
  PALIMPSEST_TRUSTED_PROXIES: whole(0, 10, 0).describe(
    'number of trusted proxies in front of this process. The audit trail takes the address of a caller from this position of `X-Forwarded-For`, counted from its end; 0 ignores the header',
  ),
  PALIMPSEST_METRICS: z
    .enum(['true', 'false'])
    .default('true')
    .describe('serve `GET /metrics` (Prometheus). The route needs no API key: every client that reaches the port can read it'),
};

type HttpEnv = z.output<z.ZodObject<typeof httpSettings>>;

const limitOf = (env: HttpEnv, concurrent: number) => ({
  concurrent,
  waiting: env.PALIMPSEST_WAITING_REQUESTS,
  bytes: env.PALIMPSEST_UPLOAD_MEMORY_MB * MIB,
});

export const httpOf = (env: HttpEnv) => ({
  port: env.PALIMPSEST_PORT,
  host: env.PALIMPSEST_HOST,
  allowedHosts: (env.PALIMPSEST_ALLOWED_HOSTS ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== ''),
  logLevel: env.PALIMPSEST_LOG_LEVEL,
  maxDocumentBytes: env.PALIMPSEST_MAX_DOCUMENT_MB * MIB,
  queueCapacity: env.PALIMPSEST_QUEUE_CAPACITY,
  purgeMs: env.PALIMPSEST_PURGE_MINUTES * 60_000,
  liveStreamsPerTenant: env.PALIMPSEST_LIVE_STREAMS,
  tiers: readTiers(env.PALIMPSEST_TIERS),
  loadLimits: {
    waitMs: env.PALIMPSEST_WAITING_MS,
    search: limitOf(env, env.PALIMPSEST_CONCURRENT_SEARCHES),
    write: limitOf(env, env.PALIMPSEST_CONCURRENT_WRITES),
    read: limitOf(env, env.PALIMPSEST_CONCURRENT_READS),
  },
  bodyMs: env.PALIMPSEST_BODY_SECONDS * 1_000,
  otlpEndpoint: env.PALIMPSEST_OTLP_ENDPOINT,
  traceTexts: env.PALIMPSEST_TRACE_TEXTS === 'true',
  metrics: env.PALIMPSEST_METRICS === 'true',
  audit: {
    retentionSeconds: env.PALIMPSEST_AUDIT_DAYS * 86_400,
    readsPerDay: env.PALIMPSEST_AUDIT_READS_PER_DAY,
    trustedProxies: env.PALIMPSEST_TRUSTED_PROXIES,
  },
});

/** Settings of every process that processes documents. */
export const ingestionSettings = {
  PALIMPSEST_INGESTION_CONCURRENCY: whole(1, 64, 2).describe('documents processed at the same time'),
  PALIMPSEST_INGESTION_ATTEMPTS: whole(1, 20, 4).describe('attempts to process a document before it fails'),
  PALIMPSEST_PARSERS: whole(1, 16, 2).describe('child processes that parse documents'),
};

export const ingestionOf = (env: z.output<z.ZodObject<typeof ingestionSettings>>) => ({
  ingestionConcurrency: env.PALIMPSEST_INGESTION_CONCURRENCY,
  ingestionAttempts: env.PALIMPSEST_INGESTION_ATTEMPTS,
  parsers: env.PALIMPSEST_PARSERS,
});

/** Settings of every process that evaluates generations or strategies. */
const gateSettings = {
  PALIMPSEST_GATE_QUERIES: whole(1, 10_000, 400).describe(
    'maximum number of queries of each kind (judged queries, passages of the scope, past queries) with which a new generation is evaluated, and of judged queries for a strategy',
  ),
};

/** Settings of every process that re-embeds scopes. */
export const reembeddingSettings = {
  PALIMPSEST_REEMBEDDING_CONCURRENCY: whole(1, 64, 2).describe(
    'ranges of documents that are re-embedded at the same time, over all scopes and tenants',
  ),
  PALIMPSEST_REEMBEDDING_MAX_PERCENT: whole(1, 100, 100).describe(
    'largest share of the time in which this process re-embeds, in percent; below 100, one batch at a time',
  ),
  PALIMPSEST_REEMBEDDING_SEARCH_MS: whole(0, 60_000, 200).describe(
    'a p99 of searches, in milliseconds, that is accepted while scopes are re-embedded; beyond it, re-embedding slows down if searches are 1.3 times slower than before; 0: always then',
  ),
  ...gateSettings,
  PALIMPSEST_GATE_SPOT_CHECKS: whole(0, 10_000, 200).describe(
    'number of chunks that an evaluation embeds again to compare their vectors; 200 find a fault of 2 % of the vectors in 98 % of all evaluations',
  ),
  PALIMPSEST_SWAPS_REQUIRE_PLAN: z
    .enum(['true', 'false'])
    .default('false')
    .describe('start swaps only by a plan that another person approved'),
};

export const reembeddingOf = (env: z.output<z.ZodObject<typeof reembeddingSettings>>) => ({
  reembeddingConcurrency: env.PALIMPSEST_REEMBEDDING_CONCURRENCY,
  reembeddingShare: env.PALIMPSEST_REEMBEDDING_MAX_PERCENT / 100,
  acceptedSearchMs: env.PALIMPSEST_REEMBEDDING_SEARCH_MS,
  gateQueries: env.PALIMPSEST_GATE_QUERIES,
  gateSpotChecks: env.PALIMPSEST_GATE_SPOT_CHECKS,
  swapsRequirePlan: env.PALIMPSEST_SWAPS_REQUIRE_PLAN === 'true',
});

type Intersected<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void ? All : never;
type SourceSettings = Intersected<(typeof MODEL_SOURCES)[number]['settings']>;

const sourceSettings = Object.assign({}, ...MODEL_SOURCES.map(({ settings }) => settings)) as SourceSettings;

/** Settings of every process that uses an embedding model. */
export const embeddingSettings = {
  PALIMPSEST_EMBEDDING_THREADS: whole(1, 64, 2).describe(
    'threads that run the local embedding model (150 MB each for the built-in model). Queries have one more thread: in a single-process installation from the start, elsewhere as soon as queries and documents need the model at the same time',
  ),
  PALIMPSEST_MODEL: z.string().min(1).optional().describe('folder of an ONNX embedding model; default: the model in the repository'),
  PALIMPSEST_MODELS: z
    .string()
    .min(1)
    .optional()
    .describe(
      'JSON file of embedding models that are available at the same time, with their limits and prices; see how to change the model',
    ),
  PALIMPSEST_MODEL_FOLDERS: z
    .string()
    .min(1)
    .optional()
    .describe(
      'folders, separated by commas, below which operators may add ONNX models at run time; default: `models` in the data folder of a single-process installation, and `models` of the repository',
    ),
  PALIMPSEST_MODEL_IDLE_MINUTES: z.coerce
    .number()
    .min(0.01)
    .max(10_080)
    .default(15)
    .describe('minutes after which an embedding model that is not in use is unloaded; the current model stays loaded'),
  PALIMPSEST_EMBEDDING_CACHE: whole(1, 10_000_000, 10_000).describe('number of embeddings cached in memory'),
  ...sourceSettings,
};

/** The folder `models` of the repository; the path is the same from `src` and `dist`. */
const REPOSITORY_MODELS = fileURLToPath(new URL('../../../../models', import.meta.url));

/**
 * `environment`: has the API keys of endpoints, by the names of their variables. `dataModels`: a further default folder of models.
 * @throws InvalidValue if more than one setting selects the current model, or the file of models is invalid
 */
export const embeddingOf = (env: z.output<z.ZodObject<typeof embeddingSettings>>, environment: Environment, dataModels?: string) => {
  const sources = MODEL_SOURCES.flatMap(({ name, selected }) => {
    const open = selected(env);
    return open === undefined ? [] : [{ name, open }];
  });
  const declared = readModelsFile(env.PALIMPSEST_MODELS);
  const selections = [
    ...(env.PALIMPSEST_MODEL === undefined ? [] : ['PALIMPSEST_MODEL']),
    ...sources.map(({ name }) => name),
    ...declared.filter(({ isDefault }) => isDefault).map(({ at }) => `"default": true in ${at}`),
  ];
  const [first, ...others] = selections;
  if (first !== undefined && others.length > 0)
    throw new InvalidValue(
      first,
      `only one of the settings that select the current model (${selections.join(' and ')})`,
      selections.length,
    );
  return {
    threads: env.PALIMPSEST_EMBEDDING_THREADS,
    folder: env.PALIMPSEST_MODEL,
    cache: env.PALIMPSEST_EMBEDDING_CACHE,
    source: sources[0]?.open,
    declared,
    folders: foldersOf(env.PALIMPSEST_MODEL_FOLDERS) ?? [...(dataModels === undefined ? [] : [dataModels]), REPOSITORY_MODELS],
    idleMs: env.PALIMPSEST_MODEL_IDLE_MINUTES * 60_000,
    /** The API keys of endpoints, by the name of their variable. */
    variable: (name: string): string | undefined => environment[name],
  };
};

const foldersOf = (listed: string | undefined): readonly string[] | undefined =>
  listed
    ?.split(',')
    .map((folder) => folder.trim())
    .filter((folder) => folder !== '')
    .map((folder) => resolve(folder));

export type EmbeddingSettings = ReturnType<typeof embeddingOf>;

/** Settings of every process that serves queries. */
export const querySettings = {
  ...gateSettings,
  PALIMPSEST_CONSOLE: z
    .enum(['true', 'false'])
    .default('true')
    .describe('serve the web console at `/` and an interactive API reference at `/docs`'),
  PALIMPSEST_RETRIEVAL_RECORD_DAYS: whole(1, 3_650, 30).describe(
    'days for which retrieval records are kept (formerly `PALIMPSEST_TRACE_DAYS`)',
  ),
  PALIMPSEST_CHECKPOINT_SECONDS: whole(1, 86_400, 60).describe(
    'seconds after which new records of the log are signed; until then nothing shows whether they were changed',
  ),
  PALIMPSEST_VERIFY_HOURS: z.coerce
    .number()
    .min(0)
    .max(500)
    .default(24)
    .describe('hours between two verifications of the read models; 0: only on request'),
  PALIMPSEST_REPAIR: z
    .enum(['manual', 'auto'])
    .default('manual')
    .describe('`auto`: a scheduled verification repairs the differences that it finds'),
  ...rerankerSettings,
  ...chatSettings,
};

export const queryOf = (env: z.output<z.ZodObject<typeof querySettings>>) => ({
  gateQueries: env.PALIMPSEST_GATE_QUERIES,
  retrievalRecordRetentionSeconds: env.PALIMPSEST_RETRIEVAL_RECORD_DAYS * 86_400,
  console: env.PALIMPSEST_CONSOLE === 'true',
  checkpointMs: env.PALIMPSEST_CHECKPOINT_SECONDS * 1_000,
  chat: chatModelOf(env),
  reranker: rerankerOf(env),
  verification: { everyHours: env.PALIMPSEST_VERIFY_HOURS, repair: env.PALIMPSEST_REPAIR },
});

/** Settings of clients and tools; the services ignore them. */
const OTHERS = ['PALIMPSEST_URL', 'PALIMPSEST_API_KEY', 'PALIMPSEST_DEBUG', 'PALIMPSEST_BACKUP_PASSPHRASE'];

/** Old name → new name. An old name is accepted for one version; version 0.2 removes these. */
const RENAMED_SETTINGS: Readonly<Record<string, string>> = { PALIMPSEST_TRACE_DAYS: 'PALIMPSEST_RETRIEVAL_RECORD_DAYS' };

/** Errors about these settings do not quote their values. */
const SECRETS = /_(KEY|PASSWORD|SECRET|KEY_ID)$/;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings of one app from the environment; `of` converts them to the app's configuration; it also gets the whole environment, for variables that a setting names. An empty value counts as not set.
 * @throws InvalidValue naming the variable: its value is invalid, or there is no setting of that name (most likely a typing mistake)
 */
export const readSettings = <Shape extends z.ZodRawShape, Config>(
  schema: z.ZodObject<Shape>,
  of: (env: z.output<z.ZodObject<Shape>>, environment: Environment) => Config,
  env: Environment,
  alsoKnown: readonly string[] = [],
): Config => {
  const known = Object.keys(schema.shape);
  const allowed = new Set([...known, ...OTHERS, ...alsoKnown]);
  for (const [old, current] of Object.entries(RENAMED_SETTINGS)) if (allowed.has(current)) allowed.add(old);
  for (const name of Object.keys(env))
    if (name.startsWith('PALIMPSEST_') && !allowed.has(name)) throw new InvalidValue(name, `one of ${known.join(', ')}`, name);
  const given = withNewNames(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')));
  try {
    return of(parseInput(schema, given), env);
  } catch (error) {
    throw error instanceof InvalidValue && SECRETS.test(error.field) && given[error.field] !== undefined
      ? new InvalidValue(error.field, error.expected, 'another text')
      : error;
  }
};

const withNewNames = (given: Environment): Environment => {
  const named: Record<string, string | undefined> = { ...given };
  for (const [old, current] of Object.entries(RENAMED_SETTINGS)) {
    if (given[old] === undefined) continue;
    if (given[current] !== undefined) throw new InvalidValue(old, `only ${current}, the new name of this setting`, 'both names');
    named[current] = given[old];
    delete named[old];
  }
  return named;
};
