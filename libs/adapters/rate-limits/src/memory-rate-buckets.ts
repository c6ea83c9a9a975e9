import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { RateBuckets } from '@palimpsest/knowledge/limits';
import { Limiters } from './limiters.ts';

/** Windows in the memory of this process. A restart loses at most the counts of the current windows. */
export const memoryRateBuckets = (): RateBuckets => {
  const limiters = new Limiters(
    ({ limit, windowSeconds }, keyPrefix) => new RateLimiterMemory({ points: limit, duration: windowSeconds, keyPrefix }),
  );
  return { take: (key, rule) => limiters.take(key, rule), close: async () => undefined };
};
