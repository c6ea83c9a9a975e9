import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { RateBuckets } from '@palimpsest/knowledge';
import { Limiters } from './limiters.ts';

/** Windows in the memory of this process: what it forgets when it ends is a window's worth of requests. */
export const memoryRateBuckets = (): RateBuckets => {
  const limiters = new Limiters(({ limit, windowSeconds }, keyPrefix) => new RateLimiterMemory({ points: limit, duration: windowSeconds, keyPrefix }));
  return { take: (key, rule) => limiters.take(key, rule), close: async () => undefined };
};
