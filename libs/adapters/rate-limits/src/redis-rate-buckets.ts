import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { InvalidValue, type BucketRule, type BucketState, type RateBuckets } from '@palimpsest/knowledge';
import { Limiters } from './limiters.ts';
import { memoryRateBuckets } from './memory-rate-buckets.ts';

export type RedisRateOptions = Readonly<{
  /** `redis://` or `rediss://` (TLS), with user, password and database where needed. */
  url: string;
  /** Every key begins with it. Default `palimpsest:rate:`. */
  keyPrefix?: string;
  /** How long a request waits for Redis at most, in milliseconds. Default 100. */
  timeoutMs?: number;
  /** How long Redis is left alone after it failed, in milliseconds. Default 1,000. */
  restMs?: number;
  /** Told of what went wrong with Redis; callers are not. */
  onFault?: (fault: Error) => void;
}>;

/**
 * Windows that all processes with the same Redis share. While it is away, or too slow, each process counts by itself: an
 * installation of n replicas then lets up to n times as much pass, but it answers.
 */
class RedisRateBuckets implements RateBuckets {
  readonly #redis: Redis;
  readonly #shared: Limiters;
  readonly #own = memoryRateBuckets();
  readonly #restMs: number;
  readonly #tell: (fault: Error) => void;
  readonly #connecting: Promise<void>;
  #restsUntil = -Infinity;

  constructor({ url, keyPrefix = 'palimpsest:rate:', timeoutMs = 100, restMs = 1_000, onFault = () => undefined }: RedisRateOptions) {
    this.#restMs = restMs;
    this.#tell = onFault;
    this.#redis = new Redis(url, {
      lazyConnect: true,
      // A command fails at once when there is no connection, rather than wait for one.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      commandTimeout: timeoutMs,
      connectTimeout: Math.max(1_000, timeoutMs),
      disconnectTimeout: 100,
      retryStrategy: (times) => Math.min(50 * 2 ** times, 2_000) * (0.5 + Math.random() / 2),
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
    });
    this.#redis.on('error', onFault);
    this.#connecting = this.#redis.connect().catch(() => undefined);
    this.#shared = new Limiters(
      ({ limit, windowSeconds }, name) => new RateLimiterRedis({ storeClient: this.#redis, points: limit, duration: windowSeconds, keyPrefix: `${keyPrefix}${name}`, rejectIfRedisNotReady: true }),
    );
  }

  async take(key: string, rule: BucketRule): Promise<BucketState> {
    if (performance.now() < this.#restsUntil) return this.#own.take(key, rule);
    try {
      await this.#connecting;
      return await this.#shared.take(key, rule);
    } catch (fault) {
      this.#restsUntil = performance.now() + this.#restMs;
      this.#tell(fault instanceof Error ? fault : new Error(String(fault)));
      return this.#own.take(key, rule);
    }
  }

  async close(): Promise<void> {
    await this.#connecting;
    this.#redis.disconnect();
  }
}

/** @throws InvalidValue; not when Redis does not answer */
export const redisRateBuckets = (options: RedisRateOptions): RateBuckets => {
  const url = URL.canParse(options.url) ? new URL(options.url) : undefined;
  // It may hold a password, so what is wrong is not repeated.
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '') throw new InvalidValue('url', 'an address such as redis://127.0.0.1:6379', 'another');
  return new RedisRateBuckets(options);
};
