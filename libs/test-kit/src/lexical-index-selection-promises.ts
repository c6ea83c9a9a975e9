import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { listedChunks, selectionIds } from '@palimpsest/contracts';
import type { SelectedChunks, WordConditions } from '@palimpsest/knowledge/selections';
import type { ChunkId } from '@palimpsest/knowledge/values';
import { aChunk, aPartition, aPosition, readable, withIndex } from './index-fixture.ts';
import { lexicalHistories, putText, queries, type LexicalIndexUnderTest } from './lexical-index-fixture.ts';
import { LexicalModel } from './lexical-index-model.ts';
import { filters } from './vector-index-model.ts';

const partition = aPartition();
const reader = readable(partition);

/** One or two words, that some, all or no chunks have; or none. */
const entries = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('apple', 'berry', 'cedar', 'dune', 'ember', 'fjord', 'nowhere') },
    { weight: 2, arbitrary: fc.constantFrom('apple berry', 'dune cedar', 'grove nowhere') },
    { weight: 1, arbitrary: fc.constant(' ') },
  ),
  { maxLength: 3 },
);
const conditions: fc.Arbitrary<WordConditions> = fc.record({ required: entries, excluded: entries });

/** The selected ones of these chunks. */
const selectedOf = ({ chunks }: SelectedChunks, all: readonly ChunkId[]): readonly ChunkId[] => {
  const listed = new Set(listedChunks(chunks));
  return all.filter((chunk) => listed.has(chunk) === 'only' in chunks);
};

export const lexicalSelectionPromises = (open: () => Promise<LexicalIndexUnderTest>): void => {
  it('selects exactly the chunks that have all required entries and no excluded one, after any history', () =>
    fc.assert(
      fc.asyncProperty(lexicalHistories, fc.array(conditions, { minLength: 1, maxLength: 4 }), fc.boolean(), (calls, asked, reopened) =>
        withIndex(open, async ({ index, reopen }) => {
          const model = new LexicalModel();
          for (const [i, writes] of calls.entries()) {
            await index.apply(partition, writes, aPosition(i + 1));
            model.apply(writes);
          }
          const all = model.puts.map(({ chunkId }) => chunkId);
          const from = reopened ? await reopen() : index;
          for (const one of asked) {
            const selected = await from.select(reader, one, 'apple');
            expect(selectedOf(selected, all)).toEqual(model.selected(one));
            const ids = listedChunks(selected.chunks);
            expect(ids).toEqual([...new Set(ids)].sort());
            expect(selected.count).toBe(model.selected(one).length);
            if (all.length > 0) expect([...selected.ignored].sort()).toEqual([...model.ignored(one)].sort());
          }
        }),
      ),
      { numRuns: 25 },
    ));

  it('returns exactly the k best of selected chunks, also with a filter, with unchanged scores', () =>
    fc.assert(
      fc.asyncProperty(
        lexicalHistories,
        queries,
        conditions,
        fc.uniqueArray(fc.nat(45)),
        fc.option(filters, { nil: undefined }),
        (calls, query, one, numbers, filter) =>
          withIndex(open, async ({ index }) => {
            const model = new LexicalModel();
            for (const [i, writes] of calls.entries()) {
              await index.apply(partition, writes, aPosition(i + 1));
              model.apply(writes);
            }
            const all = await index.search(reader, query, { k: 1000 });
            const { chunks } = await index.select(reader, one, query);
            const own = selectionIds(numbers.map(aChunk));
            const isIn = (ids: readonly ChunkId[]) => (id: ChunkId) => ids.includes(id);
            const isAsked = isIn(model.selected(one));
            const isListed = isIn(numbers.map(aChunk));
            for (const [selection, isWanted] of [
              [chunks, isAsked],
              [{ only: own }, isListed],
              [{ except: own }, (id: ChunkId) => !isListed(id)],
            ] as const) {
              const wanted = all.filter(({ chunkId }) => isWanted(chunkId) && (filter === undefined || model.satisfies(chunkId, filter)));
              const query7 = { k: 7, chunks: selection, ...(filter === undefined ? {} : { filter }) };
              expect(await index.search(reader, query, query7)).toEqual(wanted.slice(0, 7));
            }
          }),
      ),
      { numRuns: 25 },
    ));

  it('selects nothing in a missing partition, and never chunks of another one', () =>
    withIndex(open, async ({ index }) => {
      const everything = { required: [], excluded: ['apple'] };
      expect((await index.select(reader, everything, 'apple')).count).toBe(0);
      await index.apply(aPartition('team:red'), [putText(1, 'apple'), putText(2, 'berry')], aPosition(1));
      await index.apply(partition, [putText(3, 'apple'), putText(4, 'berry')], aPosition(1));
      const selected = await index.select(reader, { required: ['apple'], excluded: [] }, 'apple');
      expect(listedChunks(selected.chunks)).toEqual([aChunk(3)]);
      expect((await index.select(reader, everything, 'apple')).count).toBe(1);
    }));
};
