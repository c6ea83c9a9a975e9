import { setTimeout as sleepFor } from 'node:timers/promises';

import { fullJitter } from '@palimpsest/foundation';
import { Overloaded, type KnowledgeError } from '@palimpsest/knowledge/errors';

export type RetryPolicy = Readonly<{
  /** Attempts after the first one. */
  retries: number;
  /** Maximum length of the first pause. The maximum doubles with each further one. */
  baseMs: number;
  /** The same after the endpoint reported too many requests. */
  rateLimitBaseMs: number;
  /** Maximum length of any pause. An endpoint that requires a longer one is not called again. */
  maxPauseMs: number;
}>;

export const DEFAULT_RETRY_POLICY: RetryPolicy = { retries: 3, baseMs: 500, rateLimitBaseMs: 2000, maxPauseMs: 30_000 };

/** A failed attempt: the error for the caller, and whether and when to retry. */
export class AttemptFailed extends Error {
  readonly error: KnowledgeError;
  readonly again: 'never' | 'soon' | 'after rate limit';
  /** The value of the endpoint's `Retry-After`. */
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
 * callers that failed together do not retry together. The endpoint's `Retry-After` is the minimum pause.
 *
 * @throws the last failure's error; Overloaded if the endpoint requires a longer pause than the policy allows
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
      const pause = fullJitter(failures, base, policy.maxPauseMs, clock.random);
      await clock.sleep(Math.min(retryAfterMs + pause, policy.maxPauseMs), signal).catch((fault: unknown) => {
        signal.throwIfAborted();
        throw fault;
      });
    }
  }
};
