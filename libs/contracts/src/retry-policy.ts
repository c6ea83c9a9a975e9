import { fullJitter } from '@palimpsest/foundation';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { PermanentFailure, RetryLater, type ConsumeOptions } from '@palimpsest/knowledge/ports';

/** The outcome of a message. `dead`: with the reason. `retry`: not before `at` (ms since 1970). `return`: does not count as an attempt. */
export type Outcome =
  | Readonly<{ outcome: 'done' }>
  | Readonly<{ outcome: 'retry'; at: number }>
  | Readonly<{ outcome: 'dead'; error: string }>
  | Readonly<{ outcome: 'return' }>;

export type RetryPolicy = Readonly<{ maxAttempts: number; baseMs: number; capMs: number }>;
export type ConsumeSettings = RetryPolicy & Readonly<{ batchSize: number; concurrency: number; leaseMs: number }>;

/** Longer errors are truncated in the dead letter. */
const MAX_ERROR_CHARS = 4_000;

/** @throws InvalidValue */
export const consumeSettings = (options: ConsumeOptions): ConsumeSettings => {
  const { batchSize = 1, concurrency = 1, leaseMs = 60_000, maxAttempts = 4, backoff = { baseMs: 2_000, capMs: 60_000 } } = options;
  for (const [field, value] of Object.entries({ batchSize, concurrency, leaseMs, maxAttempts }))
    if (!Number.isInteger(value) || value < 1) throw new InvalidValue(field, 'a whole number, at least 1', value);
  for (const [field, value] of Object.entries(backoff))
    if (!Number.isFinite(value) || value < 0) throw new InvalidValue(`backoff.${field}`, 'a number of milliseconds', value);
  return { batchSize, concurrency, leaseMs, maxAttempts, ...backoff };
};

/**
 * The outcome of a message that the handler rejected for the `failures`-th time. Retries use full jitter.
 */
export const afterFailure = (
  error: unknown,
  failures: number,
  policy: RetryPolicy,
  { now, random }: { now: number; random: () => number },
): Outcome => {
  if (error instanceof PermanentFailure || failures >= policy.maxAttempts) return { outcome: 'dead', error: describeError(error) };
  if (error instanceof RetryLater) return { outcome: 'retry', at: now + Math.max(0, Math.ceil(error.afterMs)) };
  return { outcome: 'retry', at: now + Math.floor(fullJitter(failures, policy.baseMs, policy.capMs, random)) };
};

/** The error and its causes, without stack traces, for operators. */
const describeError = (error: unknown): string => {
  const causes: string[] = [];
  for (let one = error; one !== undefined && causes.length < 5; one = causeOf(one)) causes.push(textOf(one));
  return causes.join('; caused by ').slice(0, MAX_ERROR_CHARS);
};

const causeOf = (error: unknown): unknown => (typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined);

const textOf = (error: unknown): string => {
  try {
    return String(error);
  } catch {
    return 'an error that cannot be converted to a string';
  }
};
