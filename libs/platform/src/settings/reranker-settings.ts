import { resolve } from 'node:path';
import { z } from 'zod';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { chatModelOf, type chatSettings, type ChatSettings, type Endpoint } from './chat-settings.ts';

const whole = (min: number, max: number, byDefault: number) => z.coerce.number().int().min(min).max(max).default(byDefault);

const KINDS = ['onnx', 'endpoint', 'chat', 'companion'] as const;

/** Settings of the reranker of every process that serves queries. */
export const rerankerSettings = {
  PALIMPSEST_RERANKER: z
    .enum(KINDS)
    .optional()
    .describe(
      'reranker of searches with the strategy `DenseSparseRerank`: a cross-encoder in a local folder (`onnx`), an endpoint with `/v1/rerank` (`endpoint`), the chat model (`chat`), or the vectors of the companion of a scope (`companion`). Without it, such searches are refused',
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
    .optional()
    .describe('weight of the scores of the reranker; those of the search have the rest. Default: 0.5, for a companion 0.2'),
  PALIMPSEST_RERANKER_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60_000)
    .optional()
    .describe(
      'milliseconds that a search waits for the reranker; after them, its results stay in the order of the search, and say so. Default: 500, for a chat model 10,000',
    ),
};

type Chosen =
  | Readonly<{ onnx: Readonly<{ folder: string; threads: number }> }>
  | Readonly<{ endpoint: Endpoint }>
  | Readonly<{ chat: Endpoint }>
  | Readonly<{ companion: true }>;
export type RerankerSettings = Chosen & Readonly<{ candidates: number; weight: number; ms: number }>;

type Env = z.output<z.ZodObject<typeof rerankerSettings & typeof chatSettings>>;
type Kind = (typeof KINDS)[number];

const NEEDED: Readonly<Record<Kind, readonly (keyof Env)[]>> = {
  onnx: ['PALIMPSEST_RERANKER_FOLDER'],
  endpoint: ['PALIMPSEST_RERANKER_URL', 'PALIMPSEST_RERANKER_MODEL'],
  chat: ['PALIMPSEST_CHAT_MODEL'],
  companion: [],
};
/** Settings that only a reranker has; the chat model may be there without one. */
const SELECTING = [...NEEDED.onnx, ...NEEDED.endpoint];
/** Measured for companions only (docs/explanation/quality.md). */
const DEFAULT_WEIGHT: Readonly<Record<Kind, number>> = { onnx: 0.5, endpoint: 0.5, chat: 0.5, companion: 0.2 };
const DEFAULT_MS: Readonly<Record<Kind, number>> = { onnx: 500, endpoint: 500, chat: 10_000, companion: 500 };

/** Undefined without a reranker. @throws InvalidValue if a setting of the chosen kind is missing, or one of another kind is set */
export const rerankerOf = (env: Env): RerankerSettings | undefined => {
  const chat = chatModelOf(env);
  const kind = env.PALIMPSEST_RERANKER;
  const needed = kind === undefined ? [] : NEEDED[kind];
  for (const name of needed)
    if (env[name] === undefined) throw new InvalidValue(name, `a value, since PALIMPSEST_RERANKER is ${kind}`, undefined);
  for (const name of SELECTING)
    if (env[name] !== undefined && !needed.includes(name))
      throw new InvalidValue(name, `no value, since PALIMPSEST_RERANKER is ${kind ?? 'not set'}`, env[name]);
  if (kind === undefined) return undefined;
  return {
    ...chosen(kind, env, chat),
    candidates: env.PALIMPSEST_RERANKER_CANDIDATES,
    weight: env.PALIMPSEST_RERANKER_WEIGHT ?? DEFAULT_WEIGHT[kind],
    ms: env.PALIMPSEST_RERANKER_MS ?? DEFAULT_MS[kind],
  };
};

const chosen = (kind: Kind, env: Env, chat: ChatSettings | undefined): Chosen => {
  const { PALIMPSEST_RERANKER_FOLDER: folder = '', PALIMPSEST_RERANKER_URL: baseUrl = '', PALIMPSEST_RERANKER_MODEL: model = '' } = env;
  if (kind === 'chat' && chat !== undefined) return { chat: { baseUrl: chat.baseUrl, model: chat.model, apiKey: chat.apiKey } };
  if (kind === 'companion') return { companion: true };
  if (kind === 'onnx') return { onnx: { folder: resolve(folder), threads: env.PALIMPSEST_RERANKER_THREADS } };
  // An endpoint without keys accepts any.
  return { endpoint: { baseUrl, model, apiKey: env.PALIMPSEST_RERANKER_API_KEY || 'none' } };
};
