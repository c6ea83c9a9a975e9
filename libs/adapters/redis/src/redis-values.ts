import { Redis } from 'ioredis';
import { Circuit } from './circuit.ts';
import type { RedisCacheSettings } from './redis-cache-options.ts';

/** Keys per command: Redis does one command at a time, and others wait for it. */
const KEYS_PER_COMMAND = 128;
/** Writes under way; what comes when there are more is not kept. */
const MOST_WRITES = 32;

export type RedisCounts = Readonly<{
  /** Times that Redis failed or was too slow. */
  faults: number;
  /** Times that it was not asked, since it had failed shortly before or was not connected. */
  skipped: number;
  /** Values that were written, and those that were not because too many were being written. */
  written: number;
  dropped: number;
}>;

/**
 * Values in Redis that may be lost at any time. Nothing here throws, and nothing takes longer than the time-out: what Redis does
 * not give is not there.
 */
export class RedisValues {
  readonly #redis: Redis;
  readonly #settings: RedisCacheSettings;
  readonly #circuit: Circuit;
  readonly #writes = new Set<Promise<void>>();
  #connecting: Promise<unknown> | undefined;
  #counts = { faults: 0, skipped: 0, written: 0, dropped: 0 };

  constructor(settings: RedisCacheSettings) {
    this.#settings = settings;
    this.#circuit = new Circuit(settings.restMs);
    this.#redis = new Redis(settings.url, {
      lazyConnect: true,
      // A command fails at once when there is no connection, rather than wait for one.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      connectTimeout: Math.max(1_000, settings.timeoutMs),
      // It waits so long even for a connection that is gone already, and the process with it.
      disconnectTimeout: 100,
      retryStrategy: (times) => Math.min(50 * 2 ** times, settings.restMs) * (0.5 + Math.random() / 2),
      // A replica that was made the leader, and the other way round.
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
    });
    this.#redis.on('error', (error: Error) => this.#tell(error));
    this.#connecting = this.#redis.connect().then(
      () => (this.#connecting = undefined),
      () => (this.#connecting = undefined),
    );
  }

  counts(): RedisCounts {
    return { ...this.#counts };
  }

  /** A value or undefined for each key. Resolves after the time-out at the latest. */
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
    if (this.#writes.size >= MOST_WRITES) {
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

  /** Waits for what is being written, no longer than the time-out. */
  async close(): Promise<void> {
    await Promise.all(this.#writes);
    this.#redis.disconnect();
  }

  /** Undefined when Redis rests, fails or is too slow. */
  async #asked<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
    if (!this.#circuit.closed || (this.#connecting === undefined && this.#redis.status !== 'ready')) {
      this.#counts.skipped++;
      return undefined;
    }
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`no answer from Redis in ${this.#settings.timeoutMs} ms`)), this.#settings.timeoutMs);
    try {
      const answer = await Promise.race([(this.#connecting ?? Promise.resolve()).then(ask), late]);
      this.#circuit.succeeded();
      return answer;
    } catch (fault) {
      this.#failed(fault instanceof Error ? fault : new Error(String(fault)));
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Nothing may throw here, the listener included. */
  #tell(fault: Error): void {
    try {
      this.#settings.onFault(fault);
    } catch {
      // It has been told.
    }
  }

  #failed(fault: Error): void {
    this.#counts.faults++;
    this.#tell(fault);
    // A connection to a machine that is gone looks sound for many minutes: the next try after the rest has a new one.
    if (this.#circuit.failed() && this.#redis.status === 'ready') this.#redis.disconnect(true);
  }
}

const chunksOf = (keys: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(keys.length / KEYS_PER_COMMAND) }, (_, i) => keys.slice(i * KEYS_PER_COMMAND, (i + 1) * KEYS_PER_COMMAND));
