import { expect, it } from '@jest/globals';
import { InvalidValue, partitionKey, START } from '@palimpsest/knowledge';
import { aChunk, aPartition, aPosition, entriesOf, exactVector, put, readable, removal, unitVector, withVectorIndex, type VectorIndexUnderTest } from './vector-index-fixture.ts';

const partition = aPartition();
const reader = readable(partition);

export const storePromises = (open: () => Promise<VectorIndexUnderTest>): void => {
  it('stands at START, with nothing in it, where a partition does not exist', () =>
    withVectorIndex(open, async ({ index }) => {
      expect(await index.position(partition)).toBe(START);
      expect(await index.count(partition)).toBe(0);
      expect(await entriesOf(index, partition)).toEqual([]);
      expect(await index.partitions()).toEqual([]);
      expect(index.damaged()).toEqual([]);
    }));

  it('ignores a call whose position it has passed, as a whole', () =>
    withVectorIndex(open, async ({ index, reopen }) => {
      await index.apply(partition, [put(1, exactVector(1))], aPosition(7));
      for (const late of [6, 1]) await index.apply(partition, [put(1, exactVector(2)), put(2, exactVector(2))], aPosition(late));
      for (const next of [async () => index, reopen]) {
        const seen = await next();
        expect(await seen.position(partition)).toBe(aPosition(7));
        expect(await seen.search(reader, exactVector(1), { k: 5 })).toEqual([{ chunkId: aChunk(1), score: 1 }]);
      }
    }));

  it('applies a further call at the position where it stands, and the same call again', () =>
    withVectorIndex(open, async ({ index, reopen }) => {
      const [what, gone] = [[put(1, exactVector(1)), put(2, exactVector(2))], [removal(2), put(3, exactVector(3))]];
      await index.apply(partition, what, aPosition(7));
      for (const call of [gone, what, gone, gone]) await index.apply(partition, call, aPosition(7));
      for (const next of [async () => index, reopen]) {
        const seen = await next();
        expect(await seen.position(partition)).toBe(aPosition(7));
        expect((await entriesOf(seen, partition)).map(({ chunkId }) => chunkId)).toEqual([aChunk(1), aChunk(3)]);
      }
    }));

  it('moves its position with calls that write nothing', () =>
    withVectorIndex(open, async ({ index, reopen }) => {
      await index.apply(partition, [], aPosition(3));
      await index.apply(partition, [put(1, exactVector(1))], aPosition(4));
      await index.apply(partition, [], aPosition(9));
      expect(await index.position(partition)).toBe(aPosition(9));
      const again = await reopen();
      expect([await again.position(partition), await again.count(partition)]).toEqual([aPosition(9), 1]);
    }));

  it('lets the last of several writes to one chunk count', () =>
    withVectorIndex(open, async ({ index }) => {
      const writes = [put(1, exactVector(1)), removal(1), put(1, exactVector(3)), put(2, exactVector(3)), removal(2), removal(77)];
      await index.apply(partition, writes, aPosition(1));
      expect(await index.search(reader, exactVector(3), { k: 5 })).toEqual([{ chunkId: aChunk(1), score: 1 }]);
    }));

  it('refuses vectors of another width, not finite or not of length 1, and then takes nothing of the call', () =>
    withVectorIndex(open, async ({ index }) => {
      await index.apply(partition, [put(1, exactVector(1))], aPosition(1));
      const wrong = [unitVector([1, 1]), new Float32Array(16), exactVector(1).map((v) => 2 * v), new Float32Array(16).fill(Infinity), exactVector(1).fill(NaN, 3, 4)];
      for (const vector of wrong)
        await expect(index.apply(partition, [put(2, exactVector(2)), put(3, vector)], aPosition(2))).rejects.toBeInstanceOf(InvalidValue);
      expect([await index.position(partition), await index.count(partition)]).toEqual([aPosition(1), 1]);
      await index.apply(partition, [put(2, exactVector(2))], aPosition(2));
      expect(await index.count(partition)).toBe(2);
    }));

  it('keeps partitions apart: tenants, scopes whose names differ by one letter’s case, generations', () =>
    withVectorIndex(open, async ({ index, reopen }) => {
      const all = [
        aPartition(), aPartition('platform'), aPartition('team:red'), aPartition('team:Red'), aPartition('team:RED'), aPartition('user:red'),
        aPartition('user:ann@example.org'), aPartition(`team:${'Xy'.repeat(64)}`), aPartition('team:red', { tenant: 'other' }),
        aPartition('team:red', { tenant: 'con' }), aPartition('team:red', { generation: 'g2' }), aPartition('team:red', { generation: 'g22' }),
      ];
      for (const [i, one] of all.entries()) await index.apply(one, [put(i, exactVector(i)), put(100, exactVector(i))], aPosition(i + 1));
      for (const next of [async () => index, reopen]) {
        const seen = await next();
        expect((await seen.partitions()).map(partitionKey).sort()).toEqual(all.map(partitionKey).sort());
        for (const [i, one] of all.entries()) {
          const hits = await seen.search(readable(one), exactVector(i), { k: 1000 });
          expect(hits).toEqual([{ chunkId: aChunk(i), score: 1 }, { chunkId: aChunk(100), score: 1 }]);
          expect(await seen.position(one)).toBe(aPosition(i + 1));
        }
      }
    }));

  it('lists its entries in the order of chunk ids, with equal digests exactly where what was put is equal', () =>
    withVectorIndex(open, async ({ index, reopen }) => {
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

  it('drops one partition and nothing else, for good; it can begin again, with another width', () =>
    withVectorIndex(open, async ({ index, reopen }) => {
      const other = aPartition('team:other');
      for (const one of [partition, other]) await index.apply(one, [put(1, exactVector(1))], aPosition(5));
      await index.drop(partition);
      for (const next of [async () => index, reopen]) {
        const seen = await next();
        expect([await seen.position(partition), await seen.count(partition), await seen.count(other)]).toEqual([START, 0, 1]);
        expect((await seen.partitions()).map(partitionKey)).toEqual([partitionKey(other)]);
        await seen.apply(partition, [put(9, unitVector([1, 1]))], aPosition(1));
        expect((await seen.search(reader, unitVector([1, 1]), { k: 3 })).map(({ chunkId }) => chunkId)).toEqual([aChunk(9)]);
        await seen.drop(partition);
      }
    }));

  it('drops everything, for good', () =>
    withVectorIndex(open, async ({ index, reopen }) => {
      for (const scope of ['team:one', 'team:two']) await index.apply(aPartition(scope), [put(1, exactVector(1))], aPosition(1));
      await index.dropAll();
      for (const next of [async () => index, reopen]) {
        const seen = await next();
        expect(await seen.partitions()).toEqual([]);
        expect(await seen.position(aPartition('team:one'))).toBe(START);
      }
    }));

  it('takes calls that come before the last one is done in the order in which they came', () =>
    withVectorIndex(open, async ({ index }) => {
      await Promise.all(Array.from({ length: 30 }, (_, i) => index.apply(partition, [put(1, exactVector(i)), put(i + 2, exactVector(i))], aPosition(i + 1))));
      expect([await index.position(partition), await index.count(partition)]).toEqual([aPosition(30), 31]);
      const [best] = await index.search(reader, exactVector(29), { k: 1 });
      expect(best).toEqual({ chunkId: aChunk(1), score: 1 });
    }));
};
