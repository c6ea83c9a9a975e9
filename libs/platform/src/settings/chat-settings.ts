import { z } from 'zod';
import { InvalidValue } from '@palimpsest/knowledge/errors';

export type Endpoint = Readonly<{ baseUrl: string; model: string; apiKey: string }>;

/** Settings of the chat model of every process that serves queries. */
export const chatSettings = {
  PALIMPSEST_CHAT_MODEL: z
    .string()
    .regex(/^\S{1,200}$/, 'expected up to 200 characters without spaces')
    .optional()
    .describe(
      'chat model of an OpenAI-compatible endpoint, for what needs one: the reranker `chat`, and searches that rewrite their query (`rewrite`)',
    ),
  PALIMPSEST_CHAT_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'address of the endpoint of the chat model, with the version of its interface: `http://127.0.0.1:8080/v1`. Queries and passages are sent there',
    ),
  PALIMPSEST_CHAT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60_000)
    .default(5_000)
    .describe('milliseconds that a search waits for the chat model to rewrite its query; after them, it goes on without, and says so'),
  PALIMPSEST_CHAT_API_KEY: z.string().optional().describe('API key of the endpoint of the chat model'),
};

export type ChatSettings = Endpoint & Readonly<{ ms: number }>;

/** Undefined without a chat model. @throws InvalidValue if only one of model and address is set */
export const chatModelOf = (env: z.output<z.ZodObject<typeof chatSettings>>): ChatSettings | undefined => {
  const { PALIMPSEST_CHAT_MODEL: model, PALIMPSEST_CHAT_URL: baseUrl, PALIMPSEST_CHAT_API_KEY: apiKey } = env;
  if (model === undefined && baseUrl === undefined) return undefined;
  if (baseUrl === undefined) throw new InvalidValue('PALIMPSEST_CHAT_URL', 'a value, since PALIMPSEST_CHAT_MODEL is set', undefined);
  if (model === undefined) throw new InvalidValue('PALIMPSEST_CHAT_MODEL', 'a value, since PALIMPSEST_CHAT_URL is set', undefined);
  // An endpoint without keys accepts any.
  return { baseUrl, model, apiKey: apiKey || 'none', ms: env.PALIMPSEST_CHAT_MS };
};
