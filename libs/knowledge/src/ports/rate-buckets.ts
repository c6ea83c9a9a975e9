/** At most `limit` requests per window of `windowSeconds` (a whole number). A window starts with its first request. */
export type BucketRule = Readonly<{ limit: number; windowSeconds: number }>;

/** `remaining`: requests left in this window. `resetMs`: milliseconds until it ends. */
export type BucketState = Readonly<{ allowed: boolean; remaining: number; resetMs: number }>;

/**
 * Counts requests per key in fixed windows. Promises, all checked by `describeRateBuckets`:
 * - for each key, exactly `limit` requests pass per window, even if they are concurrent;
 * - each key has its own window, and so has the same key with another rule;
 * - `take` works even if the store is unavailable; then it counts the requests of this process only.
 */
export interface RateBuckets {
  take(key: string, rule: BucketRule): Promise<BucketState>;
  close(): Promise<void>;
}
