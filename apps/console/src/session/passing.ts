import { ConnectionError, ProblemError } from '@palimpsest/client';

/** How long a page waits before it asks again by itself. */
const AGAIN_MS = 5_000;

/** Trouble that passes: nobody answers, or the server is busy or still catching up. What is refused stays refused. */
const passes = (error: unknown): boolean => error instanceof ConnectionError || (error instanceof ProblemError && (error.status === 429 || error.status === 503));

/** When to ask again after an error, in milliseconds; a page that has what it wanted does not ask. */
export const askAgainAfter = (error: unknown): number | false => (passes(error) ? AGAIN_MS : false);
