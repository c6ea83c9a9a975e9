export { openOpenAiEmbeddings } from './openai-embeddings.ts';
export type { OpenAiEmbeddingsOptions } from './openai-options.ts';
export type { RetryPolicy } from './retries.ts';
