import { describe, expect, it } from '@jest/globals';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { SharedVectors, VectorIndex } from '@palimpsest/knowledge/read-models';
import { START } from '@palimpsest/knowledge/values';
import { aChunk, aPartition, aPosition, entriesOf, readable, withIndex } from './index-fixture.ts';
import { describeOrderedWrites } from './ordered-writes-kit.ts';
import { exactVector, put, unitVector } from './vector-index-fixture.ts';

export type SharedVectorsUnderTest = Readonly<{
  /** Two processes that write to one initially empty store. Vectors have 16 dimensions. */
  writers: readonly [SharedVectors, SharedVectors];
  /** The index for searches in the same store. */
  index: VectorIndex;
  /** Kills the store and starts it again with its data; the same writers and index continue. */
  restart(): Promise<void>;
  dispose(): Promise<void>;
}>;

const partition = aPartition();

const puts = (at: number, ...numbered: readonly (readonly [number, number])[]) =>
  numbered.map(([number, pattern]) => ({ put: put(number, exactVector(pattern)), at: aPosition(at) }));
const gone = (at: number, ...numbers: readonly number[]) => numbers.map((number) => ({ chunkId: aChunk(number), at: aPosition(at) }));

/** The chunks with the vector of `pattern`: those with a score of 1. */
const holders = async (index: VectorIndex, pattern: number, where = partition) =>
  (await index.search(readable(where), exactVector(pattern), { k: 100 })).filter(({ score }) => score === 1).map(({ chunkId }) => chunkId);

/** The contract of `SharedVectors`. `open` returns an empty store each time. */
export const describeSharedVectors = (name: string, open: () => Promise<SharedVectorsUnderTest>): void => {
  describeOrderedWrites(`${name}, as shared vectors,`, {
    open,
    put: (chunk, variant) => put(chunk, exactVector(variant)),
    holders: (index, variant, where) => holders(index as VectorIndex, variant, where),
  });
  describe(`${name}, as shared vectors,`, () => {
    it('keeps all data after the store was killed and restarted', () =>
      withIndex(open, async ({ writers: [one, two], index, restart }) => {
        await one.put(partition, puts(1, [1, 1], [2, 2]));
        await two.remove(partition, gone(2, 2));
        await two.advance([0, 3], { written: aPosition(2) });
        const before = await entriesOf(index, partition);
        await restart();
        expect(await entriesOf(index, partition)).toEqual(before);
        expect([await holders(index, 1), await holders(index, 2)]).toEqual([[aChunk(1)], []]);
        expect((await one.progress(4)).map(({ written }) => written)).toEqual([aPosition(2), START, START, aPosition(2)]);
      }));

    it('stores the progress of each share and kind separately, and never moves it back', () =>
      withIndex(open, async ({ writers: [one, two] }) => {
        const nothing = { written: START, removed: START };
        expect(await one.progress(2)).toEqual([nothing, nothing]);
        await one.advance([0, 1], { written: aPosition(5) });
        await two.advance([1, 2], { written: aPosition(4), removed: aPosition(3) });
        await two.advance([2], { removed: aPosition(2) });
        await one.advance([], { written: aPosition(99) });
        expect(await two.progress(4)).toEqual([
          { written: aPosition(5), removed: START },
          { written: aPosition(5), removed: aPosition(3) },
          { written: aPosition(4), removed: aPosition(3) },
          nothing,
        ]);
      }));

    it('loses the progress with the vectors', () =>
      withIndex(open, async ({ writers: [one, two], index }) => {
        const nothing = { written: START, removed: START };
        await one.put(partition, puts(1, [1, 1]));
        await one.advance([0, 1], { written: aPosition(5), removed: aPosition(5) });
        await index.dropAll();
        expect(await two.progress(2)).toEqual([nothing, nothing]);
        await one.put(partition, puts(1, [1, 1]));
        expect(await index.count(partition)).toBe(1);
      }));

    it('rejects a vector of another width, and then writes nothing of the call', () =>
      withIndex(open, async ({ writers: [one], index }) => {
        await one.put(partition, puts(1, [1, 1]));
        const wrong = { put: put(3, unitVector([1, 2])), at: aPosition(2) };
        await expect(one.put(partition, [...puts(2, [2, 2]), wrong])).rejects.toBeInstanceOf(InvalidValue);
        expect(await index.count(partition)).toBe(1);
      }));
  });
};
