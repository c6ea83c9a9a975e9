import { pause } from '@palimpsest/foundation';
import { KnowledgeError } from '@palimpsest/knowledge/errors';

/** `delayMs`: before the second attempt; it doubles before each further one. */
export type RetryOptions = Readonly<{ attempts: number; delayMs: number }>;

const LONGEST_DELAY_MS = 30_000;

/** Repeats the work while its error says that a later attempt may succeed. @throws the last error, or the reason of the signal */
export const withRetries = async <T>(
  work: () => Promise<T>,
  { attempts, delayMs }: RetryOptions,
  signal: AbortSignal | undefined,
): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      const mayPass = error instanceof KnowledgeError && error.retryable;
      if (!mayPass || attempt >= attempts) throw error;
      await pause(Math.min(LONGEST_DELAY_MS, delayMs * 2 ** (attempt - 1)), signal);
      signal?.throwIfAborted();
    }
  }
};
