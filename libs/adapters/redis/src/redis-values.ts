import { Redis } from 'ioredis';
import { Unavailable } from '@palimpsest/knowledge/errors';
import { CircuitBreaker, equalJitter, type CircuitCall } from '@palimpsest/foundation';
import type { RedisCacheSettings } from './redis-cache-options.ts';

/** Keys per command: Redis processes one command at a time, and other clients wait for it. */
const KEYS_PER_COMMAND = 128;
/** Keys that Redis looks at before it serves other clients. */
const KEYS_PER_SCAN = 1_000;
/** How long Redis may take for one step of a removal. */
const REMOVAL_MS = 10_000;
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

  /** Removes all values whose keys start with this. @throws Unavailable if Redis fails: they may still be there */
  async remove(prefix: string): Promise<void> {
    await Promise.all(this.#writes);
    const pattern = `${prefix.replaceAll(/[\\*?[\]]/g, '\\$&')}*`;
    try {
      await this.#connecting;
      for (let [cursor, first] = ['0', true]; first || cursor !== '0'; first = false) {
        const [next, keys] = await answeredIn(REMOVAL_MS, this.#redis.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_PER_SCAN));
        if (keys.length > 0) await answeredIn(REMOVAL_MS, this.#redis.unlink(keys));
        cursor = next;
      }
    } catch (fault) {
      throw new Unavailable(`the shared cache of embeddings: ${fault instanceof Error ? fault.message : String(fault)}`);
    }
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
    try {
      const answer = await answeredIn(this.#settings.timeoutMs, (this.#connecting ?? Promise.resolve()).then(ask));
      call.succeeded();
      return answer;
    } catch (fault) {
      this.#failed(call, fault instanceof Error ? fault : new Error(String(fault)));
      return undefined;
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

/** @throws Error if it takes longer */
const answeredIn = async <Answer>(ms: number, answer: Promise<Answer>): Promise<Answer> => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer from Redis within ${ms} ms`)), ms);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
};

const chunksOf = (keys: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(keys.length / KEYS_PER_COMMAND) }, (_, i) => keys.slice(i * KEYS_PER_COMMAND, (i + 1) * KEYS_PER_COMMAND));
