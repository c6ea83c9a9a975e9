import fc from 'fast-check';
import { DEFAULT_RETRY, pause, retryAfterSeconds, retryDelay } from './retry.ts';

describe('A retry', () => {
  it('never happens before the delay that the server asked for, nor later than the cap after it', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.nat(100), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, seconds, random) => {
        const delay = retryDelay(attempt, seconds, { ...DEFAULT_RETRY, random: () => random });
        return delay >= seconds * 1000 && delay <= seconds * 1000 + DEFAULT_RETRY.capMs;
      }),
    );
  });

  it('is spread over an interval that doubles with each attempt', () => {
    const latest = { ...DEFAULT_RETRY, random: () => 1 };
    expect([0, 1, 2].map((attempt) => retryDelay(attempt, undefined, latest))).toEqual([500, 1000, 2000]);
  });

  it.each([
    ['120', 120],
    ['Thu, 01 Jan 1970 00:01:30 GMT', 30],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['soon', undefined],
    [null, undefined],
  ])('reads Retry-After "%s" at 60 s after the epoch as %s seconds', (header, seconds) => {
    expect(retryAfterSeconds(header, 60_000)).toBe(seconds);
  });

  it('stops waiting when it is aborted', async () => {
    const abort = new AbortController();
    const waiting = pause(60_000, abort.signal);
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});
