import { z } from 'zod';
import { parseInput } from '@palimpsest/contracts';
import { InvalidValue, MAX_DIMENSIONS } from '@palimpsest/knowledge';
import { readTiers } from './tiers.ts';

/** A whole number between two others, with what it usually is. */
export const whole = (least: number, most: number, usual: number) => z.coerce.number().int().min(least).max(most).default(usual);
const MIB = 1024 * 1024;

/** Of everything that listens. */
export const httpSettings = {
  PALIMPSEST_PORT: whole(0, 65_535, 7330).describe('TCP port; 0 takes any that is free'),
  PALIMPSEST_HOST: z.string().min(1).default('127.0.0.1').describe('address to listen on; loopback unless said otherwise'),
  PALIMPSEST_ALLOWED_HOSTS: z
    .string()
    .regex(/^[^\s,:/]+(?:\s*,\s*[^\s,:/]+)*$/, 'expected host names without ports, separated by commas')
    .optional()
    .describe('host names, separated by commas, by which a reverse proxy reaches this server; a server on loopback answers only to these and its own, any other one to every name unless it is set'),
  PALIMPSEST_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug'])
    .optional()
    .describe('least level of what is logged; `warn` on a terminal and `info` elsewhere unless it is set'),
  PALIMPSEST_MAX_DOCUMENT_MB: whole(1, 1_024, 50).describe('largest document, in MiB'),
  PALIMPSEST_QUEUE_CAPACITY: whole(1, 1_000_000, 5_000).describe('documents that may wait before more are refused with 429'),
  PALIMPSEST_LIVE_STREAMS: whole(1, 10_000, 100).describe('streams of server-sent events that a tenant may have open at the same time, in one process; more are refused with 429'),
  PALIMPSEST_PURGE_MINUTES: z.coerce.number().min(0.01).max(10_080).default(15).describe('minutes after which words, vectors and titles of deleted documents have left the files of the read models'),
  PALIMPSEST_TIERS: z.string().min(1).optional().describe('JSON file of tiers: rates, quotas, strategies and weights of tenants; nobody is limited unless it is set'),
  PALIMPSEST_CONCURRENT_SEARCHES: whole(1, 10_000, 16).describe('searches and contexts worked on at the same time'),
  PALIMPSEST_CONCURRENT_WRITES: whole(1, 10_000, 32).describe('requests that change something worked on at the same time, uploads among them'),
  PALIMPSEST_CONCURRENT_READS: whole(1, 10_000, 32).describe('other requests worked on at the same time; live streams are not counted, probes and metrics never refused'),
  PALIMPSEST_WAITING_REQUESTS: whole(0, 100_000, 64).describe('requests of each of these three kinds that may wait for their turn; more are refused with 429'),
  PALIMPSEST_WAITING_MS: whole(1, 600_000, 5_000).describe('milliseconds that a request may wait for its turn before it is refused with 429; a tenth of it where somebody has been waiting for all of that time'),
  PALIMPSEST_UPLOAD_MEMORY_MB: whole(1, 1_048_576, 256).describe('MiB of request bodies taken in at the same time; what would exceed it waits for its turn'),
  PALIMPSEST_BODY_SECONDS: whole(1, 3_600, 30).describe('seconds after which a request is ended that has its place and sends nothing more of its body, or, of a search, not all of it'),
  PALIMPSEST_OTLP_ENDPOINT: z.url().optional().describe('address of an OpenTelemetry collector (OTLP over HTTP) for traces; none are made unless it is set'),
  PALIMPSEST_AUDIT_DAYS: whole(1, 36_500, 90).describe('days for which the audit trail is kept: who did what, when and from where'),
  PALIMPSEST_AUDIT_READS_PER_DAY: whole(0, 1_000_000_000, 100_000).describe('entries of reads and document writes that each process records a day for each tenant; of more only the number is recorded. Administration is always recorded'),
  PALIMPSEST_TRUSTED_PROXIES: whole(0, 10, 0).describe('proxies between callers and this process: the audit trail takes the address of a caller from as many places of `X-Forwarded-For`, counted from its end; 0 ignores the header'),
  PALIMPSEST_METRICS: z.enum(['true', 'false']).default('true').describe('answer `GET /metrics` (Prometheus), to whoever reaches the port: it needs no key'),
};

type HttpEnv = z.output<z.ZodObject<typeof httpSettings>>;

const gateOf = (env: HttpEnv, atOnce: number) => ({ atOnce, waiting: env.PALIMPSEST_WAITING_REQUESTS, bytes: env.PALIMPSEST_UPLOAD_MEMORY_MB * MIB });

export const httpOf = (env: HttpEnv) => ({
  port: env.PALIMPSEST_PORT,
  host: env.PALIMPSEST_HOST,
  allowedHosts: (env.PALIMPSEST_ALLOWED_HOSTS ?? '').toLowerCase().split(',').map((name) => name.trim()).filter((name) => name !== ''),
  logLevel: env.PALIMPSEST_LOG_LEVEL,
  maxDocumentBytes: env.PALIMPSEST_MAX_DOCUMENT_MB * MIB,
  queueCapacity: env.PALIMPSEST_QUEUE_CAPACITY,
  purgeMs: env.PALIMPSEST_PURGE_MINUTES * 60_000,
  liveStreamsPerTenant: env.PALIMPSEST_LIVE_STREAMS,
  tiers: readTiers(env.PALIMPSEST_TIERS),
  doors: {
    waitMs: env.PALIMPSEST_WAITING_MS,
    search: gateOf(env, env.PALIMPSEST_CONCURRENT_SEARCHES),
    write: gateOf(env, env.PALIMPSEST_CONCURRENT_WRITES),
    read: gateOf(env, env.PALIMPSEST_CONCURRENT_READS),
  },
  bodyMs: env.PALIMPSEST_BODY_SECONDS * 1_000,
  otlpEndpoint: env.PALIMPSEST_OTLP_ENDPOINT,
  metrics: env.PALIMPSEST_METRICS === 'true',
  audit: { retentionSeconds: env.PALIMPSEST_AUDIT_DAYS * 86_400, readsPerDay: env.PALIMPSEST_AUDIT_READS_PER_DAY, trustedProxies: env.PALIMPSEST_TRUSTED_PROXIES },
});

/** Of everything that works on documents. */
export const ingestionSettings = {
  PALIMPSEST_INGESTION_CONCURRENCY: whole(1, 64, 2).describe('documents worked on at the same time'),
  PALIMPSEST_INGESTION_ATTEMPTS: whole(1, 20, 4).describe('attempts at a document before it is given up'),
  PALIMPSEST_PARSERS: whole(1, 16, 2).describe('child processes that parse documents'),
};

export const ingestionOf = (env: z.output<z.ZodObject<typeof ingestionSettings>>) => ({
  ingestionConcurrency: env.PALIMPSEST_INGESTION_CONCURRENCY,
  ingestionAttempts: env.PALIMPSEST_INGESTION_ATTEMPTS,
  parsers: env.PALIMPSEST_PARSERS,
});

/** Of everything that asks an embedding model. */
export const embeddingSettings = {
  PALIMPSEST_EMBEDDING_THREADS: whole(1, 64, 2).describe('threads that run the local embedding model (150 MB each for the built-in one); one more, for queries alone, from the start on in one process, elsewhere when they meet documents at it'),
  PALIMPSEST_MODEL: z.string().min(1).optional().describe('folder of an ONNX embedding model; default the one in the repository'),
  PALIMPSEST_EMBEDDING_CACHE: whole(1, 10_000_000, 10_000).describe('embeddings kept in memory'),
  PALIMPSEST_OPENAI_MODEL: z.string().min(1).optional().describe('embed with this model of an OpenAI-compatible endpoint instead'),
  PALIMPSEST_OPENAI_DIMENSIONS: whole(1, MAX_DIMENSIONS, 1_536).describe('dimensions of its vectors'),
  PALIMPSEST_OPENAI_MAX_TOKENS: z.coerce.number().int().min(32).max(1_000_000).optional().describe('tokens that it reads at once; default 8,191 for OpenAI’s own models, else 512. A longer text gets several vectors'),
  PALIMPSEST_OPENAI_BASE_URL: z.url().optional().describe('address of the endpoint; default OpenAI’s own'),
  PALIMPSEST_OPENAI_API_KEY: z.string().optional().describe('key for the endpoint'),
};

export const embeddingOf = (env: z.output<z.ZodObject<typeof embeddingSettings>>) => ({
  threads: env.PALIMPSEST_EMBEDDING_THREADS,
  folder: env.PALIMPSEST_MODEL,
  cache: env.PALIMPSEST_EMBEDDING_CACHE,
  openai:
    env.PALIMPSEST_OPENAI_MODEL === undefined
      ? undefined
      : {
          model: env.PALIMPSEST_OPENAI_MODEL,
          dimensions: env.PALIMPSEST_OPENAI_DIMENSIONS,
          maxTokens: env.PALIMPSEST_OPENAI_MAX_TOKENS,
          baseUrl: env.PALIMPSEST_OPENAI_BASE_URL,
          apiKey: env.PALIMPSEST_OPENAI_API_KEY ?? '',
        },
});

export type EmbeddingSettings = ReturnType<typeof embeddingOf>;

/** Of everything that answers queries. */
export const querySettings = {
  PALIMPSEST_CONSOLE: z.enum(['true', 'false']).default('true').describe('serve the web console at `/`, and a page to try the API on at `/docs`'),
  PALIMPSEST_TRACE_DAYS: whole(1, 3_650, 30).describe('days for which retrieval traces are kept'),
};

export const queryOf = (env: z.output<z.ZodObject<typeof querySettings>>) => ({
  traceRetentionSeconds: env.PALIMPSEST_TRACE_DAYS * 86_400,
  console: env.PALIMPSEST_CONSOLE === 'true',
});

/** Read by clients and tools, not by what runs here. */
const OTHERS = ['PALIMPSEST_URL', 'PALIMPSEST_API_KEY', 'PALIMPSEST_DEBUG', 'PALIMPSEST_BACKUP_PASSPHRASE'];

/** What is wrong with them is told without quoting them. */
const SECRETS = /_(KEY|PASSWORD|SECRET|KEY_ID)$/;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings of one app out of the environment; `of` turns them into what its code works with. An empty value is as good as none.
 * @throws InvalidValue naming the variable: a value out of range, or a name that is none of ours (a typing mistake, most likely)
 */
export const readSettings = <Shape extends z.ZodRawShape, Config>(
  schema: z.ZodObject<Shape>,
  of: (env: z.output<z.ZodObject<Shape>>) => Config,
  env: Environment,
  alsoKnown: readonly string[] = [],
): Config => {
  const known = Object.keys(schema.shape);
  const allowed = new Set([...known, ...OTHERS, ...alsoKnown]);
  for (const name of Object.keys(env))
    if (name.startsWith('PALIMPSEST_') && !allowed.has(name)) throw new InvalidValue(name, `one of ${known.join(', ')}`, name);
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  try {
    return of(parseInput(schema, given));
  } catch (error) {
    throw error instanceof InvalidValue && SECRETS.test(error.field) && given[error.field] !== undefined ? new InvalidValue(error.field, error.expected, 'another text') : error;
  }
};
