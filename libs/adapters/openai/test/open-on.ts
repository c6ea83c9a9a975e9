import type { EmbeddingProvider } from '@palimpsest/knowledge/ports';

import { openOpenAiEmbeddings } from '../src/openai-embeddings.ts';
import type { OpenAiEmbeddingsOptions } from '../src/openai-options.ts';
import { DIMENSIONS, type FakeEndpoint } from './fake-endpoint.ts';

const HASTY = { baseMs: 1, rateLimitBaseMs: 1, maxPauseMs: 2000 };

/** The adapter over a fake endpoint, with short pauses between attempts. */
export const openOn = (endpoint: FakeEndpoint, options: Partial<OpenAiEmbeddingsOptions> = {}): EmbeddingProvider =>
  openOpenAiEmbeddings({ baseUrl: endpoint.url, apiKey: 'key', model: 'm', dimensions: DIMENSIONS, retry: HASTY, ...options });
