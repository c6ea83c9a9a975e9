import { Redis } from 'ioredis';
import { CircuitBreaker, equalJitter, type CircuitCall } from '@palimpsest/foundation';
import type { RedisCacheSettings } from './redis-cache-options.ts';

/** Keys per command: Redis processes one command at a time, and other clients wait for it. */
const KEYS_PER_COMMAND = 128;
/** Maximum writes in progress; further ones are dropped. */
const MAX_WRITES = 32;

export type RedisCounts = Readonly<{
  /** How often Redis failed or was too slow. */
  faults: number;
  /** How often Redis was not asked because it was not connected or had failed shortly before. */
  skipped: number;
  /** Values that were written, and those that were dropped because too many writes were in progress. */
  written: number;
  dropped: number;
}>;

/**
 * Values in Redis, which may be lost at any time. Never throws, and takes no longer than the timeout: a value that Redis does
 * not return counts as missing.
 */
export class RedisValues {
  readonly #redis: Redis;
  readonly #settings: RedisCacheSettings;
  readonly #circuit: CircuitBreaker;
  readonly #writes = new Set<Promise<void>>();
  #connecting: Promise<unknown> | undefined;
  #counts = { faults: 0, skipped: 0, written: 0, dropped: 0 };

  constructor(settings: RedisCacheSettings) {
    this.#settings = settings;
    this.#circuit = new CircuitBreaker({ restMs: settings.restMs });
    this.#redis = new Redis(settings.url, {
      lazyConnect: true,
      // A command fails immediately if there is no connection, instead of waiting for one.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      connectTimeout: Math.max(1_000, settings.timeoutMs),
      // The client would wait this long even for a closed connection, and keep the process alive.
      disconnectTimeout: 100,
      retryStrategy: (times) => equalJitter(times, 50, settings.restMs),
      // A replica was promoted to leader, or the leader was demoted.
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
    });
    this.#redis.on('error', (error: Error) => this.#report(error));
    this.#connecting = this.#redis.connect().then(
      () => (this.#connecting = undefined),
      () => (this.#connecting = undefined),
    );
  }

  counts(): RedisCounts {
    return { ...this.#counts };
  }

  /** A value or undefined for each key. Resolves within the timeout. */
  async get(keys: readonly string[]): Promise<readonly (Buffer | undefined)[]> {
    const none = keys.map(() => undefined);
    if (keys.length === 0) return none;
    return (
      (await this.#asked(async () => {
        const answers = await Promise.all(chunksOf(keys).map((chunk) => this.#redis.mgetBuffer(...chunk)));
        return answers.flat().map((value) => value ?? undefined);
      })) ?? none
    );
  }

  /** Does not wait for Redis. */
  set(entries: ReadonlyMap<string, Buffer>): void {
    if (entries.size === 0) return;
    if (this.#writes.size >= MAX_WRITES) {
      this.#counts.dropped += entries.size;
      return;
    }
    const write = this.#asked(async () => {
      const pipeline = this.#redis.pipeline();
      for (const [key, value] of entries) pipeline.set(key, value, 'EX', this.#settings.ttlSeconds);
      const failed = (await pipeline.exec())?.find(([error]) => error !== null)?.[0];
      if (failed) throw failed;
      this.#counts.written += entries.size;
    }).then(() => void this.#writes.delete(write));
    this.#writes.add(write);
  }

  /** Waits for writes in progress, no longer than the timeout. */
  async close(): Promise<void> {
    await Promise.all(this.#writes);
    this.#redis.disconnect();
  }

  /** Undefined if the circuit is open, or Redis fails or is too slow. */
  async #asked<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
    const connected = this.#connecting !== undefined || this.#redis.status === 'ready';
    const call = connected ? this.#circuit.enter() : undefined;
    if (call === undefined) {
      this.#counts.skipped++;
      return undefined;
    }
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(new Error(`no answer from Redis within ${this.#settings.timeoutMs} ms`)),
      this.#settings.timeoutMs,
    );
    try {
      const answer = await Promise.race([(this.#connecting ?? Promise.resolve()).then(ask), late]);
      call.succeeded();
      return answer;
    } catch (fault) {
      this.#failed(call, fault instanceof Error ? fault : new Error(String(fault)));
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Nothing may throw here, including the listener. */
  #report(fault: Error): void {
    try {
      this.#settings.onFault(fault);
    } catch {
      // The fault has been reported.
    }
  }

  #failed(call: CircuitCall, fault: Error): void {
    this.#counts.faults++;
    this.#report(fault);
    // A connection to a dead machine looks healthy for many minutes: the next attempt after the pause uses a new one.
    if (call.failed() && this.#redis.status === 'ready') this.#redis.disconnect(true);
  }
}

const chunksOf = (keys: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(keys.length / KEYS_PER_COMMAND) }, (_, i) => keys.slice(i * KEYS_PER_COMMAND, (i + 1) * KEYS_PER_COMMAND));
