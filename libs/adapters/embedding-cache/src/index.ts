export { cacheKey, tenantSecret } from './cache-key.ts';
export { cachedEmbeddings, type CachedEmbeddings, type CacheStats } from './embedding-cache.ts';
