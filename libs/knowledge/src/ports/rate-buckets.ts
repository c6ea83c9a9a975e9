/** `limit` requests in each window of `windowSeconds`, a whole number; a window begins with the first request in it. */
export type BucketRule = Readonly<{ limit: number; windowSeconds: number }>;

/** `remaining`: requests that still pass in this window. `resetMs`: until it ends. */
export type BucketState = Readonly<{ allowed: boolean; remaining: number; resetMs: number }>;

/**
 * Counts requests in windows of time, by keys. Promises, all checked by `describeRateBuckets`:
 * - of one key, `limit` requests pass in a window, however many come at once, and then none until it ends;
 * - keys, and the same key under another rule, have windows of their own;
 * - `take` answers even when the store is away; then it counts what this process has seen.
 */
export interface RateBuckets {
  take(key: string, rule: BucketRule): Promise<BucketState>;
  close(): Promise<void>;
}
