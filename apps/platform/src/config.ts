import { resolve } from 'node:path';
import { z } from 'zod';
import { parseInput } from '@palimpsest/contracts';
import { InvalidValue } from '@palimpsest/knowledge';

const whole = (least: number, most: number, usual: number) => z.coerce.number().int().min(least).max(most).default(usual);
const MIB = 1024 * 1024;

/** Every setting of the embedded platform, as it stands in the environment; `docs/reference/configuration.md` is made from it. */
export const settingsSchema = z
  .object({
    PALIMPSEST_PORT: whole(0, 65_535, 7330).describe('TCP port; 0 takes any that is free'),
    PALIMPSEST_HOST: z.string().min(1).default('127.0.0.1').describe('address to listen on; loopback unless said otherwise'),
    PALIMPSEST_DATA: z.string().min(1).default('.palimpsest').describe('folder that holds everything'),
    PALIMPSEST_LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug'])
      .optional()
      .describe('least level of what is logged; `warn` on a terminal and `info` elsewhere unless it is set'),
    PALIMPSEST_SAMPLES: z.enum(['true', 'false']).default('true').describe('load the sample documents on the first start'),
    PALIMPSEST_QUEUE_CAPACITY: whole(1, 1_000_000, 5_000).describe('documents that may wait before more are refused with 429'),
    PALIMPSEST_INGESTION_CONCURRENCY: whole(1, 64, 2).describe('documents worked on at the same time'),
    PALIMPSEST_INGESTION_ATTEMPTS: whole(1, 20, 4).describe('attempts at a document before it is given up'),
    PALIMPSEST_MAX_DOCUMENT_MB: whole(1, 1_024, 50).describe('largest document, in MiB'),
    PALIMPSEST_PARSERS: whole(1, 16, 2).describe('child processes that parse documents'),
    PALIMPSEST_EMBEDDING_THREADS: whole(1, 64, 2).describe('threads that run the local embedding model'),
    PALIMPSEST_MODEL: z.string().min(1).optional().describe('folder of an ONNX embedding model; default the one in the repository'),
    PALIMPSEST_EMBEDDING_CACHE: whole(1, 10_000_000, 10_000).describe('embeddings kept in memory'),
    PALIMPSEST_OPENAI_MODEL: z.string().min(1).optional().describe('embed with this model of an OpenAI-compatible endpoint instead'),
    PALIMPSEST_OPENAI_DIMENSIONS: whole(1, 8_192, 1_536).describe('dimensions of its vectors'),
    PALIMPSEST_OPENAI_BASE_URL: z.url().optional().describe('address of the endpoint; default OpenAI’s own'),
    PALIMPSEST_OPENAI_API_KEY: z.string().optional().describe('key for the endpoint'),
    PALIMPSEST_TRACE_DAYS: whole(1, 3_650, 30).describe('days for which retrieval traces are kept'),
  })
  .transform((env) => ({
    port: env.PALIMPSEST_PORT,
    host: env.PALIMPSEST_HOST,
    data: resolve(env.PALIMPSEST_DATA),
    logLevel: env.PALIMPSEST_LOG_LEVEL,
    samples: env.PALIMPSEST_SAMPLES === 'true',
    queueCapacity: env.PALIMPSEST_QUEUE_CAPACITY,
    ingestionConcurrency: env.PALIMPSEST_INGESTION_CONCURRENCY,
    ingestionAttempts: env.PALIMPSEST_INGESTION_ATTEMPTS,
    maxDocumentBytes: env.PALIMPSEST_MAX_DOCUMENT_MB * MIB,
    parsers: env.PALIMPSEST_PARSERS,
    traceRetentionSeconds: env.PALIMPSEST_TRACE_DAYS * 86_400,
    embedding: {
      threads: env.PALIMPSEST_EMBEDDING_THREADS,
      folder: env.PALIMPSEST_MODEL,
      cache: env.PALIMPSEST_EMBEDDING_CACHE,
      openai:
        env.PALIMPSEST_OPENAI_MODEL === undefined
          ? undefined
          : {
              model: env.PALIMPSEST_OPENAI_MODEL,
              dimensions: env.PALIMPSEST_OPENAI_DIMENSIONS,
              baseUrl: env.PALIMPSEST_OPENAI_BASE_URL,
              apiKey: env.PALIMPSEST_OPENAI_API_KEY ?? '',
            },
    },
  }));

export type PlatformConfig = z.output<typeof settingsSchema>;

const KNOWN = new Set(Object.keys(settingsSchema.in.shape));
/** Read by clients and tools, not by the platform. */
const OTHERS = new Set(['PALIMPSEST_URL', 'PALIMPSEST_API_KEY', 'PALIMPSEST_DEBUG']);

/** @throws InvalidValue naming the variable: a value out of range, or a name that is none of ours (a typing mistake, most likely) */
export const platformConfig = (env: Readonly<Record<string, string | undefined>>): PlatformConfig => {
  for (const name of Object.keys(env))
    if (name.startsWith('PALIMPSEST_') && !KNOWN.has(name) && !OTHERS.has(name)) throw new InvalidValue(name, `one of ${[...KNOWN].join(', ')}`, name);
  return parseInput(settingsSchema, env);
};
