import { describe, expect, it } from '@jest/globals';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { VectorIndex, VectorPut } from '@palimpsest/knowledge/read-models';
import { MAX_DIMENSIONS } from '@palimpsest/knowledge/values';
import { aChunk, aPartition, aPosition, entriesOf, readable, removal, withIndex } from './index-fixture.ts';
import { adoptionPromises } from './index-adoption-promises.ts';
import { indexStorePromises, type IndexStoreFixture } from './index-store-promises.ts';
import { exactVector, put, unitVector, type VectorIndexUnderTest } from './vector-index-fixture.ts';

const partition = aPartition();

const fixture: IndexStoreFixture<VectorIndex, VectorPut> = {
  put: (number, content) => put(number, exactVector(content)),
  // Equal vectors have a score of exactly 1.
  find: async (index, one, content) =>
    (await index.search(readable(one), exactVector(content), { k: 1000 })).filter(({ score }) => score === 1).map(({ chunkId }) => chunkId),
};

/** The contract of `adopt` of a vector index. `open` returns an empty index each time. */
export const describeVectorIndexAdoption = (name: string, open: () => Promise<VectorIndexUnderTest>): void =>
  describe(`${name}, as a vector index,`, () => adoptionPromises(open, fixture));

export const storePromises = (open: () => Promise<VectorIndexUnderTest>): void => {
  indexStorePromises<VectorPut, VectorIndex>(open, fixture);

  it('rejects vectors of another width, with non-finite values or with a length other than 1, and then writes nothing', () =>
    withIndex(open, async ({ index }) => {
      await index.apply(partition, [put(1, exactVector(1))], aPosition(1));
      await expect(index.apply(partition, [put(2, exactVector(2), {}, [unitVector([1, 1])])], aPosition(2))).rejects.toBeInstanceOf(
        InvalidValue,
      );
      const wrong = [
        unitVector([1, 1]),
        new Float32Array(16),
        exactVector(1).map((v) => 2 * v),
        new Float32Array(16).fill(Infinity),
        exactVector(1).fill(NaN, 3, 4),
      ];
      for (const vector of wrong)
        await expect(index.apply(partition, [put(2, exactVector(2)), put(3, vector)], aPosition(2))).rejects.toBeInstanceOf(InvalidValue);
      expect([await index.position(partition), await index.count(partition)]).toEqual([aPosition(1), 1]);
      await index.apply(partition, [put(2, exactVector(2))], aPosition(2));
      expect(await index.count(partition)).toBe(2);
    }));

  it('replaces and removes a chunk with all of its vectors', () =>
    withIndex(open, async ({ index, reopen }) => {
      const holders = async (which: VectorIndex, pattern: number) =>
        (await which.search(readable(partition), exactVector(pattern), { k: 9 }))
          .filter(({ score }) => score === 1)
          .map(({ chunkId }) => chunkId);
      await index.apply(
        partition,
        [put(1, exactVector(1), {}, [exactVector(2), exactVector(3)]), put(2, exactVector(1), {}, [exactVector(3)])],
        aPosition(1),
      );
      await index.apply(partition, [put(1, exactVector(4), {}, [exactVector(5)]), removal(2)], aPosition(2));
      for (const next of [async () => index, reopen]) {
        const seen = await next();
        expect([await holders(seen, 4), await holders(seen, 5)]).toEqual([[aChunk(1)], [aChunk(1)]]);
        for (const gone of [1, 2, 3]) expect(await holders(seen, gone)).toEqual([]);
        expect([await seen.count(partition), (await entriesOf(seen, partition)).length]).toEqual([1, 1]);
      }
    }));

  it('gives a chunk a digest that depends on all its vectors and their order', () =>
    withIndex(open, async ({ index }) => {
      const [a, b, c] = [exactVector(1), exactVector(2), exactVector(3)];
      const digests = new Set<string>();
      const forms: VectorPut[] = [
        put(1, a),
        put(1, a, {}, [b]),
        put(1, a, {}, [c]),
        put(1, a, {}, [b, c]),
        put(1, a, {}, [c, b]),
        put(1, b, {}, [a]),
      ];
      for (const [i, form] of forms.entries()) {
        await index.apply(partition, [form], aPosition(i + 1));
        for (const { digest } of await entriesOf(index, partition)) digests.add(digest);
      }
      expect(digests.size).toBe(forms.length);
    }));

  it('accepts the widest vectors that a model can have', () =>
    withIndex(open, async ({ index, reopen }) => {
      const [one, other] = [1, -1].map((sign) =>
        unitVector(Array.from({ length: MAX_DIMENSIONS }, (_, i) => (i === MAX_DIMENSIONS - 1 ? sign : 0))),
      );
      if (one === undefined || other === undefined) throw new Error('no vectors');
      await index.apply(partition, [put(1, other), put(2, one)], aPosition(1));
      for (const next of [async () => index, reopen])
        expect(await (await next()).search(readable(partition), one, { k: 1 })).toEqual([{ chunkId: aChunk(2), score: 1 }]);
    }));

  it('lists its entries by chunk id, with equal digests exactly for equal puts', () =>
    withIndex(open, async ({ index, reopen }) => {
      const vector = unitVector([0.1, 0.2, 0.3]);
      const nudged = vector.map((value, i) => (i === 1 ? Math.fround(value + 1e-7) : value));
      const [one, two] = [aPartition('team:one'), aPartition('team:two')];
      await index.apply(one, [put(3, vector, { a: 1, b: 'x' }), put(1, vector), put(2, vector, { a: 1 })], aPosition(1));
      await index.apply(two, [put(2, nudged, { a: 1 }), put(1, nudged)], aPosition(1));
      await index.apply(two, [put(1, vector), put(3, vector, { b: 'x', a: 1 })], aPosition(2));
      const before = await entriesOf(index, one);
      const after = await entriesOf(await reopen(), two);
      expect(before.map(({ chunkId }) => chunkId)).toEqual([aChunk(1), aChunk(2), aChunk(3)]);
      for (const { digest } of before) expect(digest).toMatch(/^[0-9a-f]{64}$/);
      expect(after.map(({ digest }, i) => digest === before[i]?.digest)).toEqual([true, false, true]);
      expect(new Set(before.map(({ digest }) => digest)).size).toBe(3);
    }));

  it('accepts vectors of another width after a drop', () =>
    withIndex(open, async ({ index, reopen }) => {
      await index.apply(partition, [put(1, exactVector(1))], aPosition(5));
      await index.drop(partition);
      for (const next of [async () => index, reopen]) {
        const seen = await next();
        await seen.apply(partition, [put(9, unitVector([1, 1]))], aPosition(1));
        expect((await seen.search(readable(partition), unitVector([1, 1]), { k: 3 })).map(({ chunkId }) => chunkId)).toEqual([aChunk(9)]);
        await seen.drop(partition);
      }
    }));
};
