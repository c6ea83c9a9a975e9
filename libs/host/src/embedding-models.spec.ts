import { describeEmbeddingProviders } from '@palimpsest/test-kit';
import { openEmbeddingModels } from './embedding-models.ts';
import type { EmbeddingSettings } from './settings.ts';

const SETTINGS: EmbeddingSettings = { threads: 1, folder: undefined, cache: 10, openai: undefined };
const OPENAI: EmbeddingSettings = {
  ...SETTINGS,
  openai: { apiKey: 'none', model: 'text-embedding-3-small', dimensions: 1536, baseUrl: 'http://127.0.0.1:1', maxTokens: undefined },
};

const open = (settings: EmbeddingSettings) => async () => {
  const providers = await openEmbeddingModels(settings);
  return { providers, dispose: () => providers.close() };
};

describeEmbeddingProviders('openEmbeddingModels with the built-in model', open(SETTINGS));
describeEmbeddingProviders('openEmbeddingModels with another model next to the built-in one', open(OPENAI));
