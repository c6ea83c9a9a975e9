import { expect, it } from '@jest/globals';
import { partitionKey, type IndexPartition } from '@palimpsest/knowledge/read-models';
import { START, type ChunkId } from '@palimpsest/knowledge/values';
import { aChunk, aPartition, aPosition, entriesOf, removal, withIndex, type IndexUnderTest, type WritableIndex } from './index-fixture.ts';

export type IndexStoreFixture<Index, Put> = Readonly<{
  /** A put of chunk `number` with content `content`, which searches can distinguish. */
  put: (number: number, content: number) => Put;
  /** The chunks with this content, sorted by id. */
  find: (index: Index, partition: IndexPartition, content: number) => Promise<readonly ChunkId[]>;
}>;

const partition = aPartition();

/** The contract of `IndexStore`, for any kind of index. */
export const indexStorePromises = <Put, Index extends WritableIndex<Put>>(
  open: () => Promise<IndexUnderTest<Index>>,
  { put, find }: IndexStoreFixture<Index, Put>,
): void => {
  it('returns START and no entries for a partition that does not exist', () =>
    withIndex(open, async ({ index }) => {
      expect(await index.position(partition)).toBe(START);
      expect(await index.count(partition)).toBe(0);
      expect(await entriesOf(index, partition)).toEqual([]);
      expect(await index.partitions()).toEqual([]);
      expect(index.damaged()).toEqual([]);
    }));

  it('ignores a whole call whose position is before its own', () =>
    withIndex(open, async ({ index, reopen }) => {
      await index.apply(partition, [put(1, 1)], aPosition(7));
      for (const late of [6, 1]) await index.apply(partition, [put(1, 2), put(2, 2)], aPosition(late));
      for (const next of [async () => index, reopen]) {
        const seen = await next();
        expect([await seen.position(partition), await seen.count(partition)]).toEqual([aPosition(7), 1]);
        expect([await find(seen, partition, 1), await find(seen, partition, 2)]).toEqual([[aChunk(1)], []]);
      }
    }));

  it('applies another call at its current position, and the same call again', () =>
    withIndex(open, async ({ index, reopen }) => {
      const [first, second] = [
        [put(1, 1), put(2, 2)],
        [removal(2), put(3, 3)],
      ];
      await index.apply(partition, first, aPosition(7));
      for (const call of [second, first, second, second]) await index.apply(partition, call, aPosition(7));
      for (const next of [async () => index, reopen]) {
        const seen = await next();
        expect(await seen.position(partition)).toBe(aPosition(7));
        expect((await entriesOf(seen, partition)).map(({ chunkId }) => chunkId)).toEqual([aChunk(1), aChunk(3)]);
      }
    }));

  it('moves its position with calls without writes', () =>
    withIndex(open, async ({ index, reopen }) => {
      await index.apply(partition, [], aPosition(3));
      await index.apply(partition, [put(1, 1)], aPosition(4));
      await index.apply(partition, [], aPosition(9));
      expect(await index.position(partition)).toBe(aPosition(9));
      const again = await reopen();
      expect([await again.position(partition), await again.count(partition)]).toEqual([aPosition(9), 1]);
    }));

  it('applies the last of several writes to one chunk', () =>
    withIndex(open, async ({ index }) => {
      await index.apply(partition, [put(1, 1), removal(1), put(1, 3), put(2, 3), removal(2), removal(77)], aPosition(1));
      expect([await find(index, partition, 1), await find(index, partition, 3), await index.count(partition)]).toEqual([
        [],
        [aChunk(1)],
        1,
      ]);
    }));

  it('separates partitions by tenant, scope (case-sensitive) and generation', () =>
    withIndex(open, async ({ index, reopen }) => {
      const all = [
        aPartition(),
        aPartition('platform'),
        aPartition('team:red'),
        aPartition('team:Red'),
        aPartition('team:RED'),
        aPartition('user:red'),
        aPartition('user:ann@example.org'),
        aPartition(`team:${'Xy'.repeat(64)}`),
        aPartition('team:red', { tenant: 'other' }),
        aPartition('team:red', { tenant: 'con' }),
        aPartition('team:red', { generation: 'g2' }),
        aPartition('team:red', { generation: 'g22' }),
      ];
      for (const [i, one] of all.entries()) await index.apply(one, [put(i, i), put(100, i)], aPosition(i + 1));
      for (const next of [async () => index, reopen]) {
        const seen = await next();
        expect((await seen.partitions()).map(partitionKey).sort()).toEqual(all.map(partitionKey).sort());
        for (const [i, one] of all.entries())
          expect([await find(seen, one, i), await seen.count(one), await seen.position(one)]).toEqual([
            [aChunk(i), aChunk(100)],
            2,
            aPosition(i + 1),
          ]);
      }
    }));

  it('drops one partition permanently and nothing else; it can be filled again', () =>
    withIndex(open, async ({ index, reopen }) => {
      const other = aPartition('team:other');
      for (const one of [partition, other]) await index.apply(one, [put(1, 1)], aPosition(5));
      await index.drop(partition);
      for (const next of [async () => index, reopen]) {
        const seen = await next();
        expect([await seen.position(partition), await seen.count(partition), await seen.count(other)]).toEqual([START, 0, 1]);
        expect((await seen.partitions()).map(partitionKey)).toEqual([partitionKey(other)]);
        await seen.apply(partition, [put(9, 2)], aPosition(1));
        expect([await find(seen, partition, 1), await find(seen, partition, 2)]).toEqual([[], [aChunk(9)]]);
        await seen.drop(partition);
      }
    }));

  it('drops everything permanently', () =>
    withIndex(open, async ({ index, reopen }) => {
      for (const scope of ['team:one', 'team:two']) await index.apply(aPartition(scope), [put(1, 1)], aPosition(1));
      await index.dropAll();
      for (const next of [async () => index, reopen]) {
        const seen = await next();
        expect(await seen.partitions()).toEqual([]);
        expect(await seen.position(aPartition('team:one'))).toBe(START);
      }
    }));

  it('applies concurrent calls in call order', () =>
    withIndex(open, async ({ index }) => {
      await Promise.all(Array.from({ length: 30 }, (_, i) => index.apply(partition, [put(1, i), put(i + 2, i)], aPosition(i + 1))));
      expect([await index.position(partition), await index.count(partition)]).toEqual([aPosition(30), 31]);
      expect([await find(index, partition, 28), await find(index, partition, 29)]).toEqual([[aChunk(30)], [aChunk(1), aChunk(31)]]);
    }));
};
