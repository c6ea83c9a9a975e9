import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { SharedVectors, VectorIndex } from '@palimpsest/knowledge/read-models';
import { position, START } from '@palimpsest/knowledge/values';
import { aChunk, aPartition, aPosition, entriesOf, readable } from './index-fixture.ts';
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
const other = aPartition('team:other');

const withShared = async (
  open: () => Promise<SharedVectorsUnderTest>,
  body: (under: SharedVectorsUnderTest) => Promise<void>,
): Promise<void> => {
  const under = await open();
  try {
    await body(under);
  } finally {
    await under.dispose();
  }
};

const puts = (at: number, ...numbered: readonly (readonly [number, number])[]) =>
  numbered.map(([number, pattern]) => ({ put: put(number, exactVector(pattern)), at: aPosition(at) }));
const gone = (at: number, ...numbers: readonly number[]) => numbers.map((number) => ({ chunkId: aChunk(number), at: aPosition(at) }));

/** The chunks with the vector of `pattern`: those with a score of 1. */
const holders = async (index: VectorIndex, pattern: number, where = partition) =>
  (await index.search(readable(where), exactVector(pattern), { k: 100 })).filter(({ score }) => score === 1).map(({ chunkId }) => chunkId);

type Step = Readonly<{ kind: 'put' | 'remove'; chunk: number; at: number; writer: 0 | 1 }>;
/** Facts in log order, each at its own position. */
const facts: fc.Arbitrary<readonly Step[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom('put' as const, 'put' as const, 'remove' as const),
      chunk: fc.nat(5),
      writer: fc.constantFrom(0 as const, 1 as const),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((steps) => steps.map((step, i) => ({ ...step, at: i + 1 })));

/** The contract of `SharedVectors`. `open` returns an empty store each time. */
export const describeSharedVectors = (name: string, open: () => Promise<SharedVectorsUnderTest>): void =>
  describe(`${name}, as shared vectors,`, () => {
    it('shows puts and hides removals as soon as the call resolves, from any process', () =>
      withShared(open, async ({ writers: [one, two], index }) => {
        await one.put(partition, puts(1, [1, 1], [2, 2]));
        await two.put(partition, puts(2, [3, 3]));
        expect([await holders(index, 1), await holders(index, 2), await holders(index, 3)]).toEqual([
          [aChunk(1)],
          [aChunk(2)],
          [aChunk(3)],
        ]);
        await two.remove(partition, gone(3, 1));
        expect([await holders(index, 1), await index.count(partition)]).toEqual([[], 2]);
        expect((await index.partitions()).map(({ scope }) => scope.scope)).toEqual([partition.scope.scope]);
        expect((await entriesOf(index, partition)).map(({ chunkId }) => chunkId)).toEqual([aChunk(2), aChunk(3)]);
      }));

    it('keeps all data after the store was killed and restarted', () =>
      withShared(open, async ({ writers: [one, two], index, restart }) => {
        await one.put(partition, puts(1, [1, 1], [2, 2]));
        await two.remove(partition, gone(2, 2));
        await two.advance([0, 3], { written: aPosition(2) });
        const before = await entriesOf(index, partition);
        await restart();
        expect(await entriesOf(index, partition)).toEqual(before);
        expect([await holders(index, 1), await holders(index, 2)]).toEqual([[aChunk(1)], []]);
        expect((await one.progress(4)).map(({ written }) => written)).toEqual([aPosition(2), START, START, aPosition(2)]);
      }));

    it('ignores a put that is older than the stored chunk, and writes the others of the same call', () =>
      withShared(open, async ({ writers: [one, two], index }) => {
        await one.put(partition, puts(7, [1, 1]));
        await two.put(partition, [...puts(6, [1, 2]), ...puts(6, [2, 2])]);
        expect([await holders(index, 1), await holders(index, 2)]).toEqual([[aChunk(1)], [aChunk(2)]]);
        await two.put(partition, puts(7, [1, 1]));
        await two.put(partition, puts(8, [1, 3]));
        expect([await holders(index, 1), await holders(index, 3)]).toEqual([[], [aChunk(1)]]);
      }));

    it('compares positions above 2^53 exactly', () =>
      withShared(open, async ({ writers: [one, two], index }) => {
        const at = (last: bigint, pattern: number) => [{ put: put(1, exactVector(pattern)), at: position(2n ** 62n + last) }];
        await one.put(partition, at(5n, 5));
        await two.put(partition, at(4n, 4));
        expect(await holders(index, 5)).toEqual([aChunk(1)]);
        await two.put(partition, at(6n, 6));
        expect(await holders(index, 6)).toEqual([aChunk(1)]);
      }));

    it('removes puts at or before the position of a removal, and nothing newer', () =>
      withShared(open, async ({ writers: [one, two], index }) => {
        await one.put(partition, [...puts(4, [1, 1]), ...puts(5, [2, 2]), ...puts(6, [3, 3])]);
        await two.remove(partition, gone(5, 1, 2, 3, 99));
        expect((await entriesOf(index, partition)).map(({ chunkId }) => chunkId)).toEqual([aChunk(3)]);
        await two.remove(partition, [...gone(6, 3), ...gone(1, 1)]);
        expect(await index.count(partition)).toBe(0);
      }));

    it('changes no chunk of another partition with the same id', () =>
      withShared(open, async ({ writers: [one], index }) => {
        await one.put(partition, puts(1, [1, 1]));
        await one.put(other, puts(9, [1, 2]));
        await one.remove(partition, gone(9, 1));
        expect([await index.count(partition), await holders(index, 2, other)]).toEqual([0, [aChunk(1)]]);
      }));

    it('applies the latest of several puts of one chunk in a call, in any order', () =>
      withShared(open, async ({ writers: [one], index }) => {
        await one.put(partition, [...puts(3, [1, 3]), ...puts(2, [1, 2])]);
        expect(await holders(index, 3)).toEqual([aChunk(1)]);
      }));

    it('reaches the state of the last facts when writers repeat them in order from any position', () =>
      fc.assert(
        fc.asyncProperty(facts, fc.nat(19), fc.boolean(), (steps, from, killed) =>
          withShared(open, async ({ writers, index, restart }) => {
            const write = async ({ kind, chunk, at, writer }: Step) =>
              kind === 'put' ? writers[writer].put(partition, puts(at, [chunk, at])) : writers[writer].remove(partition, gone(at, chunk));
            for (const step of steps) await write(step);
            if (killed) await restart();
            // Starts again at an earlier fact, so that acknowledged writes are repeated.
            for (const step of steps.slice(from)) await write(step);
            const last = new Map(steps.map((step) => [step.chunk, step]));
            const held = [...last.values()].filter(({ kind }) => kind === 'put').sort((a, b) => a.chunk - b.chunk);
            expect((await entriesOf(index, partition)).map(({ chunkId }) => chunkId)).toEqual(held.map(({ chunk }) => aChunk(chunk)));
            for (const { chunk, at } of held) expect(await holders(index, at)).toContain(aChunk(chunk));
          }),
        ),
        { numRuns: 8 },
      ));

    it('keeps the newest put of each chunk, in any order of arrival', () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 30 }), fc.constantFrom(0 as const, 1 as const)), {
            minLength: 1,
            maxLength: 15,
          }),
          (arrivals) =>
            withShared(open, async ({ writers, index }) => {
              for (const [chunk, at, writer] of arrivals) await writers[writer].put(partition, puts(at, [chunk, at]));
              const newest = new Map<number, number>();
              for (const [chunk, at] of arrivals) newest.set(chunk, Math.max(at, newest.get(chunk) ?? 0));
              for (const [chunk, at] of newest) expect(await holders(index, at)).toContain(aChunk(chunk));
              expect(await index.count(partition)).toBe(newest.size);
            }),
        ),
        { numRuns: 8 },
      ));

    it('stores the progress of each share and kind separately, and never moves it back', () =>
      withShared(open, async ({ writers: [one, two] }) => {
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

    it('resets the progress of all shares, and loses it with the vectors', () =>
      withShared(open, async ({ writers: [one, two], index }) => {
        const nothing = { written: START, removed: START };
        await one.put(partition, puts(1, [1, 1]));
        await one.advance([0, 1], { written: aPosition(5), removed: aPosition(5) });
        await two.resetProgress();
        expect([await one.progress(2), await index.count(partition)]).toEqual([[nothing, nothing], 1]);
        await one.advance([0], { written: aPosition(2) });
        expect((await one.progress(1))[0]?.written).toBe(aPosition(2));
        await index.dropAll();
        expect(await one.progress(2)).toEqual([nothing, nothing]);
        await one.put(partition, puts(1, [1, 1]));
        expect(await index.count(partition)).toBe(1);
      }));

    it('rejects a vector of another width, and then writes nothing of the call', () =>
      withShared(open, async ({ writers: [one], index }) => {
        await one.put(partition, puts(1, [1, 1]));
        const wrong = { put: put(3, unitVector([1, 2])), at: aPosition(2) };
        await expect(one.put(partition, [...puts(2, [2, 2]), wrong])).rejects.toBeInstanceOf(InvalidValue);
        expect(await index.count(partition)).toBe(1);
      }));
  });
