export { memoryRateBuckets } from './memory-rate-buckets.ts';
