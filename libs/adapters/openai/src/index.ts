export { openAiSource } from './openai-source.ts';
export { openAiModel, type UnopenedEndpoint } from './openai-model.ts';
export type { OpenAiEmbeddingsOptions } from './openai-options.ts';
