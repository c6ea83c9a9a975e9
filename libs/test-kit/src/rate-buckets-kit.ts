import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RateBuckets } from '@palimpsest/knowledge';

export type RateBucketsUnderTest = Readonly<{
  /** Another one on the same store, where several processes share one. */
  open: () => Promise<RateBuckets>;
  shared?: boolean;
  dispose: () => Promise<void>;
}>;

/** Longer than any test. */
const HOUR = 3_600;

/** What the port `RateBuckets` promises. */
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
      const answers = await Promise.all(Array.from({ length: count }, (_, i) => (through[i % through.length] ?? buckets).take(key, { limit, windowSeconds: HOUR })));
      return answers.filter(({ allowed }) => allowed).length;
    };

    it('let as many pass as the limit says, one after the other, and tell how many are left and for how long', async () => {
      const rule = { limit: 3, windowSeconds: HOUR };
      const told = [];
      for (let i = 0; i < 5; i++) told.push(await buckets.take('a', rule));
      expect(told.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([[true, 2], [true, 1], [true, 0], [false, 0], [false, 0]]);
      for (const { resetMs } of told) {
        expect(resetMs).toBeGreaterThan(0);
        expect(resetMs).toBeLessThanOrEqual(HOUR * 1_000);
      }
    });

    it('let no more pass however many come at once', async () => {
      await fc.assert(
        fc.asyncProperty(fc.uuid(), fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 60 }), async (key, limit, asked) => {
          expect(await passed(asked, key, limit)).toBe(Math.min(limit, asked));
        }),
        { numRuns: 25 },
      );
    });

    it('let all pass again when the window is over', async () => {
      const rule = { limit: 1, windowSeconds: 1 };
      expect((await buckets.take('a', rule)).allowed).toBe(true);
      // As long as it takes; the suite's own time-out ends it.
      while (!(await buckets.take('a', rule)).allowed) await new Promise((resolve) => setTimeout(resolve, 50));
    });

    it('count keys, and rules, apart', async () => {
      expect([await passed(3, 'a', 2), await passed(3, 'b', 2), await passed(9, 'a', 5)]).toEqual([2, 2, 5]);
    });

    it('let none pass where the limit is none', async () => expect(await passed(2, 'a', 0)).toBe(0));

    it('are shared by processes where the store is', async () => {
      const other = await under.open();
      const together = await passed(20, 'shared', 5, [buckets, other]);
      expect(together).toBe(under.shared === true ? 5 : 10);
      await other.close();
    });
  });
};
