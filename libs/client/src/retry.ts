/** How often to retry, and how long to wait before. Times are in milliseconds. */
export type RetryPolicy = Readonly<{
  /** How often a refused request is sent again; `Infinity` retries without limit. */
  retries: number;
  baseMs: number;
  capMs: number;
  random: () => number;
}>;

export const DEFAULT_RETRY: RetryPolicy = { retries: 5, baseMs: 500, capMs: 30_000, random: Math.random };

/** The server is overloaded or unavailable for the moment. The request had no effect and may succeed later. */
export const isWorthRetrying = (status: number): boolean => status === 429 || status === 503;

/**
 * Full jitter, `uniform(0, min(cap, base · 2^attempt))`, added to the delay that the server asked for, so that clients that
 * were refused at the same time do not retry at the same time. `attempt` counts from 0.
 * Source: AWS Architecture Blog, "Exponential Backoff And Jitter" (2015).
 */
export const retryDelay = (attempt: number, retryAfterSeconds: number | undefined, policy: RetryPolicy): number =>
  (retryAfterSeconds ?? 0) * 1000 + policy.random() * Math.min(policy.capMs, policy.baseMs * 2 ** attempt);

/** Seconds of a `Retry-After` header, which holds seconds or an HTTP date; undefined when it holds neither. */
export const retryAfterSeconds = (header: string | null, now: number): number | undefined => {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
};

/** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
