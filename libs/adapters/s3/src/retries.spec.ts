import { Corrupt, Unavailable } from '@palimpsest/knowledge/errors';
import fc from 'fast-check';
import { TryAgain, withRetries } from './retries.ts';

/** A clock that only advances during pauses; `pauses` records them. */
const aClock = (random: number) => {
  const pauses: number[] = [];
  let now = 0;
  const sleep = async (ms: number): Promise<void> => void (pauses.push(ms), (now += ms));
  return { pauses, clock: { now: () => now, random: () => random, sleep } };
};
const refusal = (status: number, name = 'Refused') => Object.assign(new Error(name), { name, $metadata: { httpStatusCode: status } });
const ended = new AbortController().signal;

const pausesOf = async (error: Error, random: number, forMs: number): Promise<readonly number[]> => {
  const { clock, pauses } = aClock(random);
  await expect(withRetries(() => Promise.reject(error), { what: 'try', forMs, ended, clock })).rejects.toThrow(Unavailable);
  return pauses;
};

describe('retries', () => {
  it('pause for a random part of a time that doubles, up to a limit', async () => {
    expect(await pausesOf(refusal(500), 1, 1_550)).toEqual([50, 100, 200, 400, 800]);
    expect(await pausesOf(refusal(500), 0.5, 775)).toEqual([25, 50, 100, 200, 400]);
    expect((await pausesOf(refusal(500), 1, 60_000)).at(-1)).toBe(5_000);
  });

  it('pause longer when the store has too many requests', async () => {
    expect(await pausesOf(refusal(503, 'SlowDown'), 1, 1_400)).toEqual([200, 400, 800]);
  });

  it('never go on for longer than allowed', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(20_000), fc.double({ min: 0.01, max: 1, noNaN: true }), async (forMs, random) => {
        const pauses = await pausesOf(refusal(500), random, forMs);
        expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeLessThanOrEqual(forMs);
      }),
      { numRuns: 50 },
    ));

  it.each([400, 401, 403, 404, 405, 412, 501])('do not repeat a request that was refused with %d', async (status) => {
    expect(await pausesOf(refusal(status), 1, 60_000)).toEqual([]);
  });

  it.each([408, 409, 429, 500, 502, 503, 504])('repeat a request after %d', async (status) => {
    expect(await pausesOf(refusal(status), 1, 250)).not.toEqual([]);
  });

  it('repeat a request without an answer, or with an incomplete one', async () => {
    for (const error of [
      Object.assign(new Error(), { code: 'ECONNRESET' }),
      new TryAgain('cut'),
      refusal(400, 'BadDigest'),
      refusal(400, 'RequestTimeout'),
    ])
      expect(await pausesOf(error, 1, 250)).not.toEqual([]);
  });

  it('rethrow domain errors immediately', async () => {
    const { clock, pauses } = aClock(1);
    await expect(withRetries(() => Promise.reject(new Corrupt('bad')), { what: 'try', forMs: 1_000, ended, clock })).rejects.toThrow(
      Corrupt,
    );
    expect(pauses).toEqual([]);
  });

  it('report which failed requests may have been applied', async () => {
    const reported: boolean[] = [];
    const errors = [
      refusal(412),
      refusal(409),
      refusal(429),
      refusal(500),
      new TryAgain('late'),
      Object.assign(new Error(), { code: 'ECONNRESET' }),
    ];
    for (const error of errors)
      await withRetries(() => Promise.reject(error), {
        what: 'try',
        forMs: 0,
        ended,
        clock: aClock(1).clock,
        failed: ({ perhapsDone }) => void reported.push(perhapsDone),
      }).catch(() => undefined);
    expect(reported).toEqual([false, false, false, true, true, true]);
  });

  it('name the operation, the reason and the number of attempts', async () => {
    const { clock } = aClock(1);
    await expect(
      withRetries(() => Promise.reject(refusal(503, 'SlowDown')), { what: 'write blob "a"', forMs: 700, ended, clock }),
    ).rejects.toThrow('cannot write blob "a" (SlowDown, 503; 3 attempts)');
  });
});
