import { expect, it } from '@jest/globals';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import { START } from '@palimpsest/knowledge/values';
import { aChunk, aPartition, aPosition, entriesOf, removal, withIndex, type IndexUnderTest, type WritableIndex } from './index-fixture.ts';
import type { IndexStoreFixture } from './index-store-promises.ts';

const [mine, other] = [aPartition('team:mine'), aPartition('team:other')];

/** The contract of `adopt` and `copy`, for indexes that are no servers. */
export const adoptionPromises = <Put, Index extends WritableIndex<Put>>(
  open: () => Promise<IndexUnderTest<Index>>,
  { put, find }: IndexStoreFixture<Index, Put>,
): void => {
  /** Two indexes: `to` has content 1 in chunks 1 and 2, `from` has content 2 in chunks 2 and 3, at a later position. */
  const withTwo = (body: (to: IndexUnderTest<Index>, from: IndexUnderTest<Index>) => Promise<void>) =>
    withIndex(open, (to) =>
      withIndex(open, async (from) => {
        await to.index.apply(mine, [put(1, 1), put(2, 1)], aPosition(5));
        await to.index.apply(other, [put(4, 1)], aPosition(5));
        await from.index.apply(mine, [put(2, 2), put(3, 1), put(9, 1)], aPosition(3));
        await from.index.apply(mine, [put(3, 2), removal(9)], aPosition(7));
        await body(to, from);
      }),
    );
  const stateOf = async (index: Index, partition: IndexPartition) => [
    await index.position(partition),
    await index.count(partition),
    await entriesOf(index, partition),
    await find(index, partition, 1),
    await find(index, partition, 2),
  ];
  const nothing = [START, 0, [], [], []];

  it('adopts a partition of another index with its position, durably, and leaves the others as they are', () =>
    withTwo(async (to, from) => {
      const [adopted, kept] = [await stateOf(from.index, mine), await stateOf(to.index, other)];
      expect(adopted.slice(3)).toEqual([[], [aChunk(2), aChunk(3)]]);
      await to.index.adopt?.(mine, from.index);
      expect([await stateOf(to.index, mine), await stateOf(to.index, other)]).toEqual([adopted, kept]);
      expect([await stateOf(from.index, mine), await from.index.partitions()]).toEqual([nothing, []]);
      const again = await to.reopen();
      expect([await stateOf(again, mine), await stateOf(again, other)]).toEqual([adopted, kept]);
      expect([await stateOf(await from.reopen(), mine), again.damaged()]).toEqual([nothing, []]);
    }));

  it('goes on after an adoption as if it had written the partition itself', () =>
    withTwo(async (to, from) => {
      await to.index.adopt?.(mine, from.index);
      await to.index.apply(mine, [put(5, 1)], aPosition(6));
      expect(await find(to.index, mine, 1)).toEqual([]);
      await to.index.apply(mine, [put(5, 1), removal(2)], aPosition(8));
      await to.index.flush();
      await to.index.purge?.();
      for (const next of [async () => to.index, to.reopen]) {
        const index = await next();
        expect([await index.position(mine), await find(index, mine, 1), await find(index, mine, 2)]).toEqual([
          aPosition(8),
          [aChunk(5)],
          [aChunk(3)],
        ]);
      }
      await from.index.apply(mine, [put(1, 1)], aPosition(1));
      expect(await find(from.index, mine, 1)).toEqual([aChunk(1)]);
    }));

  it('adopts a partition that it does not have, and drops one that the other index does not have', () =>
    withTwo(async (to, from) => {
      const adopted = await stateOf(from.index, mine);
      await to.index.drop(mine);
      await to.index.adopt?.(mine, from.index);
      expect(await stateOf(to.index, mine)).toEqual(adopted);
      await to.index.adopt?.(other, from.index);
      for (const next of [async () => to.index, to.reopen]) {
        const index = await next();
        expect([await stateOf(index, other), await index.partitions()]).toEqual([nothing, [mine]]);
      }
    }));

  it('answers searches during an adoption from the old partition or from the new one', () =>
    withTwo(async (to, from) => {
      const seen = new Set<string>();
      let isOver = false;
      const search = async () => {
        while (!isOver) {
          seen.add(JSON.stringify([await find(to.index, mine, 1), await find(to.index, mine, 2)].map(({ length }) => length > 0)));
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const searches = [search(), search()];
      await to.index.adopt?.(mine, from.index);
      expect((await find(to.index, mine, 2)).length).toBe(2);
      isOver = true;
      await Promise.all(searches);
      // The two searches of a pair may be on both sides of the adoption.
      for (const one of seen) expect(['[true,false]', '[false,true]', '[true,true]']).toContain(one);
    }));

  it('copies a partition of another index with its position, and leaves all other partitions as they are', () =>
    withTwo(async (to, from) => {
      const [copied, kept] = [await stateOf(from.index, mine), await stateOf(to.index, other)];
      await to.index.copy?.(mine, from.index);
      for (const index of [to.index, from.index]) expect(await stateOf(index, mine)).toEqual(copied);
      await to.index.copy?.(other, from.index);
      expect([await stateOf(to.index, other), kept.slice(0, 2)]).toEqual([nothing, [aPosition(5), 1]]);
      await to.index.flush();
      const again = await to.reopen();
      expect([await stateOf(again, mine), await again.partitions(), again.damaged()]).toEqual([copied, [mine], []]);
      expect(await stateOf(await from.reopen(), mine)).toEqual(copied);
    }));

  it('changes a copy without the original, and the original without the copy', () =>
    withTwo(async (to, from) => {
      await to.index.copy?.(mine, from.index);
      const copied = await stateOf(to.index, mine);
      await from.index.apply(mine, [put(5, 1), put(3, 3), removal(2)], aPosition(9));
      expect(await stateOf(to.index, mine)).toEqual(copied);
      const changed = await stateOf(from.index, mine);
      await to.index.apply(mine, [put(6, 1), put(2, 3), removal(3)], aPosition(8));
      for (const next of [async () => from.index, from.reopen]) expect(await stateOf(await next(), mine)).toEqual(changed);
      await to.index.flush();
      for (const next of [async () => to.index, to.reopen]) expect((await stateOf(await next(), mine)).slice(3)).toEqual([[aChunk(6)], []]);
    }));

  it('copies a partition that was emptied, and a copy back', () =>
    withTwo(async (to, from) => {
      await from.index.apply(mine, [removal(2), removal(3)], aPosition(9));
      await to.index.copy?.(mine, from.index);
      expect(await stateOf(to.index, mine)).toEqual([aPosition(9), 0, [], [], []]);
      await to.index.apply(mine, [put(7, 1)], aPosition(9));
      expect([await find(to.index, mine, 1), await find(from.index, mine, 1)]).toEqual([[aChunk(7)], []]);
      await from.index.copy?.(mine, to.index);
      expect(await find(from.index, mine, 1)).toEqual([aChunk(7)]);
    }));
};
