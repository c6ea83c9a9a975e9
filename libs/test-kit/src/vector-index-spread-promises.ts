import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NO_SPREAD } from '@palimpsest/knowledge/read-models';
import { aPartition, aPosition, readable, removal, withIndex } from './index-fixture.ts';
import { exactVector, put, unitVector, type VectorIndexUnderTest } from './vector-index-fixture.ts';
import { histories, patterns, VectorModel } from './vector-index-model.ts';

const partition = aPartition();
const reader = readable(partition);
const vector = (n: number) => unitVector(Array.from({ length: 37 }, (_, i) => Math.sin(n * 12.9898 + i * 78.233)));

export const vectorSpreadPromises = (open: () => Promise<VectorIndexUnderTest>): void => {
  it('returns the mean and deviation of the scores of all vectors, after any history', () =>
    fc.assert(
      fc.asyncProperty(histories, patterns, fc.boolean(), (calls, pattern, reopened) =>
        withIndex(open, async ({ index, reopen }) => {
          const model = new VectorModel();
          for (const [i, writes] of calls.entries()) {
            await index.apply(partition, writes, aPosition(i + 1));
            model.apply(writes);
          }
          fc.pre(calls.flat().some(({ write }) => write === 'put'));
          const expected = model.spread(exactVector(pattern));
          const spread = await (reopened ? await reopen() : index).spread(reader, exactVector(pattern));
          expect(spread.count).toBe(expected.count);
          expect(spread.mean).toBeCloseTo(expected.mean, 4);
          expect(spread.deviation).toBeCloseTo(expected.deviation, 3);
        }),
      ),
      { numRuns: 15 },
    ));

  it('returns a bit-identical spread for equal contents, regardless of their history', () =>
    withIndex(open, async ({ index, reopen }) => {
      const [direct, winding] = [aPartition('team:direct'), aPartition('team:winding')];
      await index.apply(
        direct,
        Array.from({ length: 200 }, (_, n) => put(n, vector(n))),
        aPosition(1),
      );
      for (let call = 1; call <= 5; call++) {
        const numbers = Array.from({ length: 40 }, (_, i) => 200 - 40 * call + i);
        await index.apply(winding, [...numbers.map((n) => put(n, vector(n + 7))), put(999, vector(call))], aPosition(2 * call));
        await index.spread(readable(winding), vector(1000));
        await index.apply(winding, [...numbers.map((n) => put(n, vector(n))), removal(999)], aPosition(2 * call + 1));
      }
      const spreads = async (which = index) => Promise.all([direct, winding].map((one) => which.spread(readable(one), vector(1000))));
      const [straight, roundabout] = await spreads();
      expect(roundabout).toEqual(straight);
      expect(straight?.deviation).toBeGreaterThan(0);
      expect(await spreads(await reopen())).toEqual([straight, straight]);
    }));

  it('returns no spread for an empty partition, and ignores other partitions', () =>
    withIndex(open, async ({ index }) => {
      expect(await index.spread(reader, exactVector(1))).toEqual(NO_SPREAD);
      await index.apply(partition, [put(1, exactVector(1))], aPosition(1));
      await index.apply(aPartition('team:other'), [put(2, exactVector(2)), put(3, exactVector(0xffff))], aPosition(1));
      await index.apply(aPartition('deployment', { tenant: 'other' }), [put(1, exactVector(0xff00))], aPosition(1));
      expect(await index.spread(reader, exactVector(1))).toEqual({ count: 1, mean: 1, deviation: 0 });
      await index.apply(partition, [removal(1)], aPosition(2));
      expect(await index.spread(reader, exactVector(1))).toEqual(NO_SPREAD);
    }));
};
