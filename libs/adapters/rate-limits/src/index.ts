export { memoryRateBuckets } from './memory-rate-buckets.ts';
export { redisRateBuckets, type RedisRateOptions } from './redis-rate-buckets.ts';
