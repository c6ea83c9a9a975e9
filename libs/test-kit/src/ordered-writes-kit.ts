import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { IndexPartition, IndexStore, OrderedWrites } from '@palimpsest/knowledge/read-models';
import { position, type ChunkId } from '@palimpsest/knowledge/values';
import { aChunk, aPartition, aPosition, entriesOf, withIndex } from './index-fixture.ts';

export type OrderedWritesUnderTest<Put> = Readonly<{
  /** Two processes that write to one initially empty store. */
  writers: readonly [OrderedWrites<Put>, OrderedWrites<Put>];
  /** The index for searches in the same store. */
  index: IndexStore;
  /** Kills the store and starts it again with its data; the same writers and index continue. */
  restart(): Promise<void>;
  dispose(): Promise<void>;
}>;

type Promises<Put> = Readonly<{
  /** Returns an empty store each time. */
  open: () => Promise<OrderedWritesUnderTest<Put>>;
  /** A put of the chunk. `holders` finds the chunks whose last put had this variant. */
  put: (chunk: number, variant: number) => Put;
  holders: (index: IndexStore, variant: number, partition: IndexPartition) => Promise<readonly ChunkId[]>;
}>;

const partition = aPartition();
const other = aPartition('team:other');

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

const gone = (at: number, ...numbers: readonly number[]) => numbers.map((number) => ({ chunkId: aChunk(number), at: aPosition(at) }));

/** The contract of `OrderedWrites`. */
export const describeOrderedWrites = <Put>(name: string, { open, put, holders }: Promises<Put>): void =>
  describe(`${name} whose writes are ordered,`, () => {
    const puts = (at: number, ...numbered: readonly (readonly [number, number])[]) =>
      numbered.map(([number, variant]) => ({ put: put(number, variant), at: aPosition(at) }));
    const holds = (index: IndexStore, variant: number, where = partition) => holders(index, variant, where);

    it('shows puts and hides removals as soon as the call resolves, from any process', () =>
      withIndex(open, async ({ writers: [one, two], index }) => {
        await one.put(partition, puts(1, [1, 1], [2, 2]));
        await two.put(partition, puts(2, [3, 3]));
        expect([await holds(index, 1), await holds(index, 2), await holds(index, 3)]).toEqual([[aChunk(1)], [aChunk(2)], [aChunk(3)]]);
        await two.remove(partition, gone(3, 1));
        expect([await holds(index, 1), await index.count(partition)]).toEqual([[], 2]);
        expect((await index.partitions()).map(({ scope }) => scope.scope)).toEqual([partition.scope.scope]);
        expect((await entriesOf(index, partition)).map(({ chunkId }) => chunkId)).toEqual([aChunk(2), aChunk(3)]);
      }));

    it('ignores a put that is older than the stored chunk, and writes the others of the same call', () =>
      withIndex(open, async ({ writers: [one, two], index }) => {
        await one.put(partition, puts(7, [1, 1]));
        await two.put(partition, [...puts(6, [1, 2]), ...puts(6, [2, 2])]);
        expect([await holds(index, 1), await holds(index, 2)]).toEqual([[aChunk(1)], [aChunk(2)]]);
        await two.put(partition, puts(7, [1, 1]));
        await two.put(partition, puts(8, [1, 3]));
        expect([await holds(index, 1), await holds(index, 3)]).toEqual([[], [aChunk(1)]]);
      }));

    it('compares positions above 2^53 exactly', () =>
      withIndex(open, async ({ writers: [one, two], index }) => {
        const at = (last: bigint, variant: number) => [{ put: put(1, variant), at: position(2n ** 62n + last) }];
        await one.put(partition, at(5n, 5));
        await two.put(partition, at(4n, 4));
        expect(await holds(index, 5)).toEqual([aChunk(1)]);
        await two.put(partition, at(6n, 6));
        expect(await holds(index, 6)).toEqual([aChunk(1)]);
      }));

    it('removes puts at or before the position of a removal, and nothing newer', () =>
      withIndex(open, async ({ writers: [one, two], index }) => {
        await one.put(partition, [...puts(4, [1, 1]), ...puts(5, [2, 2]), ...puts(6, [3, 3])]);
        await two.remove(partition, gone(5, 1, 2, 3, 99));
        expect((await entriesOf(index, partition)).map(({ chunkId }) => chunkId)).toEqual([aChunk(3)]);
        await two.remove(partition, [...gone(6, 3), ...gone(1, 1)]);
        expect(await index.count(partition)).toBe(0);
      }));

    it('changes no chunk of another partition with the same id', () =>
      withIndex(open, async ({ writers: [one], index }) => {
        await one.put(partition, puts(1, [1, 1]));
        await one.put(other, puts(9, [1, 2]));
        await one.remove(partition, gone(9, 1));
        expect([await index.count(partition), await holds(index, 2, other)]).toEqual([0, [aChunk(1)]]);
      }));

    it('applies the latest of several puts of one chunk in a call, in any order', () =>
      withIndex(open, async ({ writers: [one], index }) => {
        await one.put(partition, [...puts(3, [1, 3]), ...puts(2, [1, 2])]);
        expect(await holds(index, 3)).toEqual([aChunk(1)]);
      }));

    it('reaches the state of the last facts when writers repeat them in order from any position', () =>
      fc.assert(
        fc.asyncProperty(facts, fc.nat(19), fc.boolean(), (steps, from, killed) =>
          withIndex(open, async ({ writers, index, restart }) => {
            const write = async ({ kind, chunk, at, writer }: Step) =>
              kind === 'put' ? writers[writer].put(partition, puts(at, [chunk, at])) : writers[writer].remove(partition, gone(at, chunk));
            for (const step of steps) await write(step);
            if (killed) await restart();
            // Starts again at an earlier fact, so that acknowledged writes are repeated.
            for (const step of steps.slice(from)) await write(step);
            const last = new Map(steps.map((step) => [step.chunk, step]));
            const held = [...last.values()].filter(({ kind }) => kind === 'put').sort((a, b) => a.chunk - b.chunk);
            expect((await entriesOf(index, partition)).map(({ chunkId }) => chunkId)).toEqual(held.map(({ chunk }) => aChunk(chunk)));
            for (const { chunk, at } of held) expect(await holds(index, at)).toContain(aChunk(chunk));
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
            withIndex(open, async ({ writers, index }) => {
              for (const [chunk, at, writer] of arrivals) await writers[writer].put(partition, puts(at, [chunk, at]));
              const newest = new Map<number, number>();
              for (const [chunk, at] of arrivals) newest.set(chunk, Math.max(at, newest.get(chunk) ?? 0));
              for (const [chunk, at] of newest) expect(await holds(index, at)).toContain(aChunk(chunk));
              expect(await index.count(partition)).toBe(newest.size);
            }),
        ),
        { numRuns: 8 },
      ));
  });
