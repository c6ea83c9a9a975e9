import { z } from 'zod';
import { modelSource } from '@palimpsest/contracts';
import { MAX_DIMENSIONS } from '@palimpsest/knowledge/values';

/** The models of OpenAI, and of any endpoint with its protocol. */
export const openAiSource = modelSource({
  name: 'PALIMPSEST_OPENAI_MODEL',
  settings: {
    PALIMPSEST_OPENAI_MODEL: z.string().min(1).optional().describe('model of an OpenAI-compatible endpoint; it replaces the local model'),
    PALIMPSEST_OPENAI_DIMENSIONS: z.coerce
      .number()
      .int()
      .min(1)
      .max(MAX_DIMENSIONS)
      .default(1_536)
      .describe('dimensions of the vectors of the OpenAI-compatible model'),
    PALIMPSEST_OPENAI_MAX_TOKENS: z.coerce
      .number()
      .int()
      .min(32)
      .max(1_000_000)
      .optional()
      .describe(
        'maximum number of tokens in one input of the OpenAI-compatible model; default: 8,191 for OpenAI’s own models, 512 for others. A longer text gets several vectors',
      ),
    PALIMPSEST_OPENAI_BASE_URL: z.url().optional().describe('address of the OpenAI-compatible endpoint; default: that of OpenAI'),
    PALIMPSEST_OPENAI_API_KEY: z.string().optional().describe('API key of the OpenAI-compatible endpoint'),
  },
  selected: (env) => {
    const model = env.PALIMPSEST_OPENAI_MODEL;
    if (model === undefined) return undefined;
    const [maxTokens, baseUrl] = [env.PALIMPSEST_OPENAI_MAX_TOKENS, env.PALIMPSEST_OPENAI_BASE_URL];
    return async () =>
      // The client alone has about 240 files.
      (await import('./openai-embeddings.ts')).openOpenAiEmbeddings({
        model,
        apiKey: env.PALIMPSEST_OPENAI_API_KEY ?? '',
        dimensions: env.PALIMPSEST_OPENAI_DIMENSIONS,
        ...(maxTokens === undefined ? {} : { maxTokens }),
        ...(baseUrl === undefined ? {} : { baseUrl }),
      });
  },
});
