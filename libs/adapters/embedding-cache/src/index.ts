export { cachedEmbeddings, type CachedEmbeddingProvider, type CacheStats } from './embedding-cache.ts';
