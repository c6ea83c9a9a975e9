import { Unavailable } from '@palimpsest/knowledge/errors';
import fc from 'fast-check';

import { AttemptFailed, DEFAULT_RETRY_POLICY, withRetries, type RetryPolicy } from './retries.ts';

/** The pauses of a call that never succeeds. */
const pausesOf = async (
  again: AttemptFailed['again'],
  random: number,
  policy: RetryPolicy = DEFAULT_RETRY_POLICY,
  retryAfterMs?: number,
): Promise<number[]> => {
  const pauses: number[] = [];
  const attempt = () => Promise.reject(new AttemptFailed(new Unavailable('down'), again, retryAfterMs));
  const clock = { random: () => random, sleep: async (ms: number) => void pauses.push(ms) };
  await expect(withRetries(attempt, policy, new AbortController().signal, clock)).rejects.toMatchObject({ code: 'Unavailable' });
  return pauses;
};

describe('retries', () => {
  it('pause for a random part of a doubling time', async () => {
    expect(await pausesOf('soon', 1)).toEqual([500, 1000, 2000]);
    expect(await pausesOf('soon', 0.5)).toEqual([250, 500, 1000]);
  });

  it('pause longer after too many requests', async () => {
    expect(await pausesOf('after rate limit', 1)).toEqual([2000, 4000, 8000]);
  });

  it('add the random part to the pause that the endpoint requires', async () => {
    expect(await pausesOf('after rate limit', 0.5, DEFAULT_RETRY_POLICY, 10_000)).toEqual([11_000, 12_000, 14_000]);
  });

  it('never pause longer or more often than allowed', () =>
    fc.assert(
      fc.asyncProperty(
        fc.nat(6),
        fc.nat(1000),
        fc.nat(2000),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (retries, baseMs, after, random) => {
          const policy = { retries, baseMs, rateLimitBaseMs: baseMs, maxPauseMs: 2000 };
          const pauses = await pausesOf('soon', random, policy, after);
          expect(pauses).toHaveLength(retries);
          for (const pause of pauses) expect(pause >= after && pause <= 2000).toBe(true);
        },
      ),
    ));

  it('do not retry after other errors', async () => {
    const bug = new TypeError('a bug');
    await expect(withRetries(() => Promise.reject(bug), DEFAULT_RETRY_POLICY, new AbortController().signal)).rejects.toBe(bug);
  });
});
