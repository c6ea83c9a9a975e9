import type { EmbeddingProvider, TextWindow } from '@palimpsest/knowledge/ports';
import type { EmbeddingVersion } from '@palimpsest/knowledge/values';
import { endpointWindow } from './endpoint-window.ts';
import { openAiSettings, type OpenAiEmbeddingsOptions } from './openai-options.ts';

export type UnopenedEndpoint = Readonly<{
  version: EmbeddingVersion;
  open: () => Promise<EmbeddingProvider>;
  window: () => Promise<TextWindow>;
}>;

/** A model of an endpoint that is checked, but not connected. Loads the client when it is opened. @throws InvalidValue that names the option */
export const openAiModel = (options: OpenAiEmbeddingsOptions): UnopenedEndpoint => {
  const settings = openAiSettings(options);
  return {
    version: settings.version,
    // The client alone has about 240 files.
    open: async () => (await import('./openai-embeddings.ts')).openOpenAiEmbeddings(options),
    window: async () => endpointWindow(settings),
  };
};
