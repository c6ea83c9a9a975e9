import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pause } from '@palimpsest/foundation';
import type { RateBuckets } from '@palimpsest/knowledge/limits';

export type RateBucketsUnderTest = Readonly<{
  /** Opens another instance, on the same store if processes share one. */
  open: () => Promise<RateBuckets>;
  shared?: boolean;
  dispose: () => Promise<void>;
}>;

/** Longer than any test. */
const HOUR = 3_600;

/** The contract of the port `RateBuckets`. */
export const describeRateBuckets = (name: string, make: () => Promise<RateBucketsUnderTest>): void => {
  describe(`Rate buckets: ${name}`, () => {
    let under: RateBucketsUnderTest;
    let buckets: RateBuckets;
    beforeEach(async () => {
      under = await make();
      buckets = await under.open();
    });
    afterEach(async () => {
      await buckets.close();
      await under.dispose();
    });

    const passed = async (count: number, key: string, limit: number, through = [buckets]): Promise<number> => {
      const answers = await Promise.all(
        Array.from({ length: count }, (_, i) => (through[i % through.length] ?? buckets).take(key, { limit, windowSeconds: HOUR })),
      );
      return answers.filter(({ allowed }) => allowed).length;
    };

    it('allow requests up to the limit, and return the remaining number and the reset time', async () => {
      const rule = { limit: 3, windowSeconds: HOUR };
      const results = [];
      for (let i = 0; i < 5; i++) results.push(await buckets.take('a', rule));
      expect(results.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
        [true, 2],
        [true, 1],
        [true, 0],
        [false, 0],
        [false, 0],
      ]);
      for (const { resetMs } of results) {
        expect(resetMs).toBeGreaterThan(0);
        expect(resetMs).toBeLessThanOrEqual(HOUR * 1_000);
      }
    });

    it('allow no more than the limit for concurrent requests', async () => {
      await fc.assert(
        fc.asyncProperty(fc.uuid(), fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 60 }), async (key, limit, asked) => {
          expect(await passed(asked, key, limit)).toBe(Math.min(limit, asked));
        }),
        { numRuns: 25 },
      );
    });

    it('allow requests again when the window is over', async () => {
      const rule = { limit: 1, windowSeconds: 1 };
      expect((await buckets.take('a', rule)).allowed).toBe(true);
      // No own time limit; the time-out of the suite applies.
      while (!(await buckets.take('a', rule)).allowed) await pause(50);
    });

    it('count each key and each rule separately', async () => {
      expect([await passed(3, 'a', 2), await passed(3, 'b', 2), await passed(9, 'a', 5)]).toEqual([2, 2, 5]);
    });

    it('allow no request with a limit of 0', async () => expect(await passed(2, 'a', 0)).toBe(0));

    it('are shared by processes if the store is', async () => {
      const other = await under.open();
      const together = await passed(20, 'shared', 5, [buckets, other]);
      expect(together).toBe(under.shared === true ? 5 : 10);
      await other.close();
    });
  });
};
