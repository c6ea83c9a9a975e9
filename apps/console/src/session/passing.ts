import { ConnectionError, ProblemError } from '@palimpsest/client';

/** How long a page waits before it retries automatically. */
const RETRY_MS = 5_000;

/** Temporary errors: the server cannot be reached, is busy or is still catching up. Refusals are not temporary. */
const isTemporary = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ProblemError && (error.status === 429 || error.status === 503));

/** The delay before a retry in milliseconds, or false when there is nothing to retry. */
export const retryDelayOf = (error: unknown): number | false => (isTemporary(error) ? RETRY_MS : false);
