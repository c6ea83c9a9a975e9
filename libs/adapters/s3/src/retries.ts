import { setTimeout as sleepFor } from 'node:timers/promises';
import { fullJitter } from '@palimpsest/foundation';
import { KnowledgeError, ServerAway, Unavailable } from '@palimpsest/knowledge/errors';
import { describeFailure, failureOf, type S3Failure } from './s3-failure.ts';

/** An attempt to repeat although the store did not refuse it. `retries.ts` does not inspect it further. */
export class TryAgain extends Error {}

export type Clock = Readonly<{
  now: () => number;
  /** At least 0 and less than 1. */
  random: () => number;
  sleep: (ms: number, ended: AbortSignal) => Promise<unknown>;
}>;

const REAL_CLOCK: Clock = {
  now: () => performance.now(),
  random: Math.random,
  sleep: (ms, signal) => sleepFor(ms, undefined, { signal }),
};

/** The first pause is a random part of this, the next one of twice as much, and so on. */
const BASE_MS = 50;
/** The same if the store requested fewer requests. */
const TOO_MANY_BASE_MS = 200;
const MAX_PAUSE_MS = 5_000;

export type Retrying = Readonly<{
  /** For messages: 'write blob "a"'. */
  what: string;
  forMs: number;
  /** Ends the pause. */
  ended: AbortSignal;
  clock?: Clock;
  /** Called for each failed attempt; may throw to stop the retries. */
  failed?: (failure: S3Failure) => void;
}>;

/**
 * Calls `attempt` until it succeeds, is refused permanently, or `forMs` have passed. Pauses have full jitter (a random part of the
 * whole), so that replicas that failed together do not retry together.
 * @throws Unavailable
 */
export const withRetries = async <Result>(attempt: () => Promise<Result>, retrying: Retrying): Promise<Result> => {
  const { what, forMs, ended, clock = REAL_CLOCK, failed } = retrying;
  const until = clock.now() + forMs;
  for (let attempts = 1; ; attempts++) {
    if (ended.aborted) throw new Unavailable(`cannot ${what}: the blob store is closed`);
    try {
      return await attempt();
    } catch (cause) {
      if (cause instanceof KnowledgeError) throw cause;
      const failure = cause instanceof TryAgain ? AGAIN : failureOf(cause);
      failed?.(failure);
      const base = failure.tooMany ? TOO_MANY_BASE_MS : BASE_MS;
      const pause = fullJitter(attempts - 1, base, MAX_PAUSE_MS, clock.random);
      if (!failure.again || clock.now() + pause > until) {
        const why = cause instanceof TryAgain ? cause.message : describeFailure(failure);
        const Fault = failure.again ? ServerAway : Unavailable;
        throw new Fault(`cannot ${what} (${why}; ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'})`, { cause });
      }
      await clock.sleep(pause, ended).catch(() => undefined);
    }
  }
};

const AGAIN: S3Failure = { code: 'TryAgain', status: 0, again: true, perhapsDone: true, tooMany: false };
