export { cachedEmbeddings, type CachedEmbeddings, type CacheStats } from './embedding-cache.ts';
