import { resolve } from 'node:path';
import { z } from 'zod';
import { InvalidValue } from '@palimpsest/knowledge/errors';

const whole = (min: number, max: number, byDefault: number) => z.coerce.number().int().min(min).max(max).default(byDefault);

const KINDS = ['onnx', 'endpoint'] as const;

/** Settings of the reranker of every process that serves queries. */
export const rerankerSettings = {
  PALIMPSEST_RERANKER: z
    .enum(KINDS)
    .optional()
    .describe(
      'reranker of searches with the strategy `DenseSparseRerank`: a cross-encoder in a local folder (`onnx`), or an endpoint with `/v1/rerank` (`endpoint`). Without it, such searches are refused',
    ),
  PALIMPSEST_RERANKER_FOLDER: z.string().min(1).optional().describe('folder of the cross-encoder'),
  PALIMPSEST_RERANKER_THREADS: whole(1, 64, 2).describe('threads that run the cross-encoder, each with a copy of it'),
  PALIMPSEST_RERANKER_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'address of the endpoint, with the version of its interface: `http://127.0.0.1:8080/v1`. Queries and passages are sent there',
    ),
  PALIMPSEST_RERANKER_MODEL: z
    .string()
    .regex(/^\S{1,200}$/, 'expected up to 200 characters without spaces')
    .optional()
    .describe('model of the endpoint'),
  PALIMPSEST_RERANKER_API_KEY: z.string().optional().describe('API key of the endpoint'),
  PALIMPSEST_RERANKER_CANDIDATES: whole(2, 100, 30).describe(
    'number of results that are reranked, or all that the caller wants if these are more',
  ),
  PALIMPSEST_RERANKER_WEIGHT: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe('weight of the scores of the reranker; those of the search have the rest'),
  PALIMPSEST_RERANKER_MS: whole(1, 60_000, 500).describe(
    'milliseconds that a search waits for the reranker; after them, its results stay in the order of the search, and say so',
  ),
};

type Chosen =
  | Readonly<{ onnx: Readonly<{ folder: string; threads: number }>; endpoint?: undefined }>
  | Readonly<{ endpoint: Readonly<{ baseUrl: string; model: string; apiKey: string }>; onnx?: undefined }>;
export type RerankerSettings = Chosen & Readonly<{ candidates: number; weight: number; ms: number }>;

type Env = z.output<z.ZodObject<typeof rerankerSettings>>;
type Kind = (typeof KINDS)[number];

const NEEDED: Readonly<Record<Kind, readonly (keyof Env)[]>> = {
  onnx: ['PALIMPSEST_RERANKER_FOLDER'],
  endpoint: ['PALIMPSEST_RERANKER_URL', 'PALIMPSEST_RERANKER_MODEL'],
};
const SELECTING = [...new Set(Object.values(NEEDED).flat())];

/** Undefined without a reranker. @throws InvalidValue if a setting of the chosen kind is missing, or one of another kind is set */
export const rerankerOf = (env: Env): RerankerSettings | undefined => {
  const kind = env.PALIMPSEST_RERANKER;
  const needed = kind === undefined ? [] : NEEDED[kind];
  for (const name of needed)
    if (env[name] === undefined) throw new InvalidValue(name, `a value, since PALIMPSEST_RERANKER is ${kind}`, undefined);
  for (const name of SELECTING)
    if (env[name] !== undefined && !needed.includes(name))
      throw new InvalidValue(name, `no value, since PALIMPSEST_RERANKER is ${kind ?? 'not set'}`, env[name]);
  if (kind === undefined) return undefined;
  const { PALIMPSEST_RERANKER_FOLDER: folder = '', PALIMPSEST_RERANKER_URL: baseUrl = '', PALIMPSEST_RERANKER_MODEL: model = '' } = env;
  return {
    // An endpoint without keys accepts any.
    ...(kind === 'onnx'
      ? { onnx: { folder: resolve(folder), threads: env.PALIMPSEST_RERANKER_THREADS } }
      : { endpoint: { baseUrl, model, apiKey: env.PALIMPSEST_RERANKER_API_KEY || 'none' } }),
    candidates: env.PALIMPSEST_RERANKER_CANDIDATES,
    weight: env.PALIMPSEST_RERANKER_WEIGHT,
    ms: env.PALIMPSEST_RERANKER_MS,
  };
};
