import { ProblemError } from '@palimpsest/client';
import type { AsOf } from './as-of.ts';

const RETRY_MS = 500;

/** The server is building the read models of the moment; the message says how far it is. */
export const isBeingBuilt = (error: unknown): error is ProblemError => error instanceof ProblemError && error.code === 'NotCaughtUp';

/** From 0 to 1, of a message like `… are being built from the log (40 %); …`. */
export const progressOf = (message: string): number | undefined => {
  const [, percent] = /\((\d{1,3}) %\)/.exec(message) ?? [];
  return percent === undefined ? undefined : Math.min(1, Number(percent) / 100);
};

/**
 * Options of a query that shows a moment. The past does not change, so it is read once; while it is being built, the query waits for
 * it as long as the page is open, and `failureReason` is the last message.
 */
export const inPast = (asOf: AsOf) =>
  asOf === undefined ? {} : { staleTime: Infinity, retry: (_failures: number, error: Error) => isBeingBuilt(error), retryDelay: RETRY_MS };
