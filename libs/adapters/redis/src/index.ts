export { redisCachedEmbeddings, type RedisCachedEmbeddings, type RedisCacheStats } from './redis-cached-embeddings.ts';
export type { RedisCacheOptions } from './redis-cache-options.ts';
