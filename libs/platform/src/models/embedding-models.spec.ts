import { z } from 'zod';
import { describeEmbeddingProviders } from '@palimpsest/test-kit';
import { openEmbeddingModels } from './embedding-models.ts';
import { embeddingOf, embeddingSettings, readSettings, type EmbeddingSettings } from '../settings/process-settings.ts';

const read = (env: Readonly<Record<string, string>>): EmbeddingSettings => readSettings(z.object(embeddingSettings), embeddingOf, env);
const SETTINGS = read({ PALIMPSEST_EMBEDDING_THREADS: '1' });
const OPENAI = read({
  PALIMPSEST_OPENAI_MODEL: 'text-embedding-3-small',
  PALIMPSEST_OPENAI_API_KEY: 'none',
  PALIMPSEST_OPENAI_BASE_URL: 'http://127.0.0.1:1',
});

const open = (settings: EmbeddingSettings) => async () => {
  const providers = await openEmbeddingModels(settings);
  return { providers, dispose: () => providers.close() };
};

describeEmbeddingProviders('openEmbeddingModels with the built-in model', open(SETTINGS));
describeEmbeddingProviders('openEmbeddingModels with another model next to the built-in one', open(OPENAI));
