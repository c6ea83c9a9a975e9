import { setTimeout as sleepFor } from 'node:timers/promises';

import { Overloaded, type KnowledgeError } from '@palimpsest/knowledge';

export type RetryPolicy = Readonly<{
  /** Attempts after the first one. */
  retries: number;
  /** The first pause is at most this long, each further one at most twice the one before. */
  baseMs: number;
  /** The same when the endpoint said that it gets too many requests. */
  rateLimitBaseMs: number;
  /** No pause is longer; an endpoint that asks for a longer one is not asked again. */
  maxPauseMs: number;
}>;

export const DEFAULT_RETRY_POLICY: RetryPolicy = { retries: 3, baseMs: 500, rateLimitBaseMs: 2000, maxPauseMs: 30_000 };

/** A failed attempt: what to tell the caller in the end, and whether and when another attempt makes sense. */
export class AttemptFailed extends Error {
  readonly error: KnowledgeError;
  readonly again: 'never' | 'soon' | 'when there is room';
  /** What the endpoint asked for, in its `Retry-After`. */
  readonly retryAfterMs: number | undefined;

  constructor(error: KnowledgeError, again: AttemptFailed['again'], retryAfterMs?: number) {
    super(error.message);
    this.error = error;
    this.again = again;
    this.retryAfterMs = retryAfterMs;
  }
}

export type Clock = Readonly<{ sleep: (ms: number, signal: AbortSignal) => Promise<unknown>; random: () => number }>;

const REAL_CLOCK: Clock = { sleep: (ms, signal) => sleepFor(ms, undefined, { signal }), random: Math.random };

/**
 * Calls `attempt` until it succeeds. Pauses are exponential with full jitter (a random part of the whole pause), so that
 * callers who failed together do not come back together; the endpoint's own `Retry-After` is the least pause.
 *
 * @throws the last failure's error; Overloaded when the endpoint wants a longer pause than the policy allows
 * @throws the signal's reason
 */
export const withRetries = async <T>(
  attempt: () => Promise<T>,
  policy: RetryPolicy,
  signal: AbortSignal,
  clock: Clock = REAL_CLOCK,
): Promise<T> => {
  for (let failures = 0; ; failures++) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (failure) {
      signal.throwIfAborted();
      if (!(failure instanceof AttemptFailed)) throw failure;
      const { error, again, retryAfterMs = 0 } = failure;
      if (again === 'never' || failures >= policy.retries) throw error;
      if (retryAfterMs > policy.maxPauseMs) throw new Overloaded(error.message, Math.ceil(retryAfterMs / 1000));

      const base = again === 'soon' ? policy.baseMs : policy.rateLimitBaseMs;
      const pause = Math.min(base * 2 ** failures, policy.maxPauseMs) * clock.random();
      await clock.sleep(Math.min(retryAfterMs + pause, policy.maxPauseMs), signal).catch((fault: unknown) => {
        signal.throwIfAborted();
        throw fault;
      });
    }
  }
};
