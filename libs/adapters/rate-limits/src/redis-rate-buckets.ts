import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { equalJitter } from '@palimpsest/foundation';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { BucketRule, BucketState, RateBuckets } from '@palimpsest/knowledge/limits';
import { Limiters } from './limiters.ts';
import { memoryRateBuckets } from './memory-rate-buckets.ts';

export type RedisRateOptions = Readonly<{
  /** `redis://` or `rediss://` (TLS), with user, password and database if needed. */
  url: string;
  /** Prefix of every key. Default: `palimpsest:rate:`. */
  keyPrefix?: string;
  /** Maximum time that a request waits for Redis, in milliseconds. Default: 100. */
  timeoutMs?: number;
  /** How long Redis is not used after a failure, in milliseconds. Default: 1,000. */
  restMs?: number;
  /** Called with errors of Redis, which are not passed to callers. */
  onFault?: (fault: Error) => void;
}>;

/**
 * Windows that all processes with the same Redis share. While Redis is unavailable or too slow, each process counts on its own. An
 * installation of n replicas then allows up to n times as many requests, but it keeps working.
 */
class RedisRateBuckets implements RateBuckets {
  readonly #redis: Redis;
  readonly #shared: Limiters;
  readonly #fallback = memoryRateBuckets();
  readonly #restMs: number;
  readonly #onFault: (fault: Error) => void;
  readonly #connecting: Promise<void>;
  #retryAt = -Infinity;

  constructor({ url, keyPrefix = 'palimpsest:rate:', timeoutMs = 100, restMs = 1_000, onFault = () => undefined }: RedisRateOptions) {
    this.#restMs = restMs;
    this.#onFault = onFault;
    this.#redis = new Redis(url, {
      lazyConnect: true,
      // Without a connection, commands fail immediately instead of waiting for one.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      commandTimeout: timeoutMs,
      connectTimeout: Math.max(1_000, timeoutMs),
      disconnectTimeout: 100,
      retryStrategy: (times) => equalJitter(times, 50, 2_000),
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
    });
    this.#redis.on('error', onFault);
    this.#connecting = this.#redis.connect().catch(() => undefined);
    this.#shared = new Limiters(
      ({ limit, windowSeconds }, name) =>
        new RateLimiterRedis({
          storeClient: this.#redis,
          points: limit,
          duration: windowSeconds,
          keyPrefix: `${keyPrefix}${name}`,
          rejectIfRedisNotReady: true,
        }),
    );
  }

  async take(key: string, rule: BucketRule): Promise<BucketState> {
    if (performance.now() < this.#retryAt) return this.#fallback.take(key, rule);
    try {
      await this.#connecting;
      return await this.#shared.take(key, rule);
    } catch (fault) {
      this.#retryAt = performance.now() + this.#restMs;
      this.#onFault(fault instanceof Error ? fault : new Error(String(fault)));
      return this.#fallback.take(key, rule);
    }
  }

  async close(): Promise<void> {
    await this.#connecting;
    this.#redis.disconnect();
  }
}

/** @throws InvalidValue, but no error if Redis does not respond */
export const redisRateBuckets = (options: RedisRateOptions): RateBuckets => {
  const url = URL.canParse(options.url) ? new URL(options.url) : undefined;
  // The URL may contain a password, so it is not repeated.
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '')
    throw new InvalidValue('url', 'a URL such as redis://127.0.0.1:6379', 'an invalid URL');
  return new RedisRateBuckets(options);
};
