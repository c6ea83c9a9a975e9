import { z } from 'zod';
import { InvalidValue } from '@palimpsest/knowledge/errors';

const whole = (min: number, max: number, byDefault: number) => z.coerce.number().int().min(min).max(max).default(byDefault);

const KINDS = ['endpoint'] as const;

/** Settings of the reranker of every process that serves queries. */
export const rerankerSettings = {
  PALIMPSEST_RERANKER: z
    .enum(KINDS)
    .optional()
    .describe(
      'reranker of searches with the strategy `DenseSparseRerank`: an endpoint with `/v1/rerank` (`endpoint`). Without it, such searches are refused',
    ),
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

type Env = z.output<z.ZodObject<typeof rerankerSettings>>;
type Kind = (typeof KINDS)[number];

const NEEDED: Readonly<Record<Kind, readonly (keyof Env)[]>> = {
  endpoint: ['PALIMPSEST_RERANKER_URL', 'PALIMPSEST_RERANKER_MODEL'],
};
const SELECTING = [...new Set(Object.values(NEEDED).flat())];

/** Undefined without a reranker. @throws InvalidValue if a setting of the chosen kind is missing, or one of another kind is set */
export const rerankerOf = (env: Env) => {
  const kind = env.PALIMPSEST_RERANKER;
  const needed = kind === undefined ? [] : NEEDED[kind];
  for (const name of needed)
    if (env[name] === undefined) throw new InvalidValue(name, `a value, since PALIMPSEST_RERANKER is ${kind}`, undefined);
  for (const name of SELECTING)
    if (env[name] !== undefined && !needed.includes(name))
      throw new InvalidValue(name, `no value, since PALIMPSEST_RERANKER is ${kind ?? 'not set'}`, env[name]);
  if (kind === undefined) return undefined;
  return {
    // An endpoint without keys accepts any.
    endpoint: {
      baseUrl: env.PALIMPSEST_RERANKER_URL ?? '',
      model: env.PALIMPSEST_RERANKER_MODEL ?? '',
      apiKey: env.PALIMPSEST_RERANKER_API_KEY || 'none',
    },
    candidates: env.PALIMPSEST_RERANKER_CANDIDATES,
    weight: env.PALIMPSEST_RERANKER_WEIGHT,
    ms: env.PALIMPSEST_RERANKER_MS,
  };
};

export type RerankerSettings = NonNullable<ReturnType<typeof rerankerOf>>;
