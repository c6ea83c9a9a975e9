import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { LexicalHit } from '@palimpsest/knowledge/read-models';
import { filterCases } from './filter-model.ts';
import { aChunk, aPartition, aPosition, readable, removal, withIndex } from './index-fixture.ts';
import { lexicalHistories, putText, queries, type LexicalIndexUnderTest } from './lexical-index-fixture.ts';
import { LexicalModel } from './lexical-index-model.ts';
import { filters } from './vector-index-model.ts';

const partition = aPartition();
const reader = readable(partition);

const expectRanked = (hits: readonly LexicalHit[]): void => {
  const ranked = [...hits].sort((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1));
  expect(hits).toEqual(ranked);
};

export const lexicalSearchPromises = (open: () => Promise<LexicalIndexUnderTest>): void => {
  it('finds every chunk with a word of the query, returns its words, and breaks ties by chunk id', () =>
    fc.assert(
      fc.asyncProperty(lexicalHistories, queries, fc.boolean(), (calls, query, reopened) =>
        withIndex(open, async ({ index, reopen }) => {
          const model = new LexicalModel();
          for (const [i, writes] of calls.entries()) {
            await index.apply(partition, writes, aPosition(i + 1));
            model.apply(writes);
          }
          const hits = await (reopened ? await reopen() : index).search(reader, query, { k: 1000 });
          const holders = model.puts.filter(({ chunkId }) => model.held(chunkId, query).length > 0);
          expect(hits.map(({ chunkId }) => chunkId).sort()).toEqual(holders.map(({ chunkId }) => chunkId));
          for (const { chunkId, terms } of hits) expect([...terms].sort()).toEqual(model.held(chunkId, query));
          expectRanked(hits);
        }),
      ),
      { numRuns: 25 },
    ));

  it('returns exactly the k best, also of those that satisfy a filter, with unchanged scores', () =>
    fc.assert(
      fc.asyncProperty(
        lexicalHistories,
        queries,
        fc.integer({ min: 1, max: 30 }),
        fc.array(filters, { maxLength: 4 }),
        (calls, query, k, asked) =>
          withIndex(open, async ({ index }) => {
            const model = new LexicalModel();
            for (const [i, writes] of calls.entries()) {
              await index.apply(partition, writes, aPosition(i + 1));
              model.apply(writes);
            }
            const all = await index.search(reader, query, { k: 1000 });
            expect(await index.search(reader, query, { k })).toEqual(all.slice(0, k));
            for (const filter of asked)
              expect(await index.search(reader, query, { k, filter })).toEqual(
                all.filter(({ chunkId }) => model.satisfies(chunkId, filter)).slice(0, k),
              );
          }),
      ),
      { numRuns: 25 },
    ));

  it('finds exactly what satisfies a filter, by the types that knowledge bases declare', () =>
    fc.assert(
      fc.asyncProperty(filterCases, ({ documents, expected }) =>
        withIndex(open, async ({ index }) => {
          const writes = documents.map((of, n) => putText(n, n % 2 === 0 ? 'apple' : 'apple berry', of));
          await index.apply(partition, writes, aPosition(1));
          for (const { filter, found } of expected) {
            const hits = await index.search(reader, 'apple', { k: documents.length, filter });
            expect(hits.map(({ chunkId }) => chunkId).sort()).toEqual(found.map(aChunk));
          }
        }),
      ),
      { numRuns: 50 },
    ));

  it('returns bit-identical hits and scores for equal contents, regardless of their history', () =>
    fc.assert(
      fc.asyncProperty(lexicalHistories, fc.array(queries, { minLength: 1, maxLength: 4 }), (calls, asked) =>
        withIndex(open, async ({ index, reopen }) => {
          // Of one scope: an index may arrange words by its key, which changes how sums are rounded.
          const [winding, direct] = [aPartition('team:red', { generation: 'g1' }), aPartition('team:red', { generation: 'g2' })];
          const model = new LexicalModel();
          for (const [i, writes] of calls.entries()) {
            await index.apply(winding, writes, aPosition(i + 1));
            model.apply(writes);
            // A search between the calls may reorganise the index, which must not affect results.
            await index.search(readable(winding), 'apple', { k: 1 });
          }
          await index.apply(direct, [...model.puts].reverse(), aPosition(1));
          const answers = async (from: typeof index, which: typeof winding) =>
            Promise.all(asked.map((query) => from.search(readable(which), query, { k: 1000 })));
          const expected = await answers(index, direct);
          expect(await answers(index, winding)).toEqual(expected);
          const again = await reopen();
          expect([await answers(again, winding), await answers(again, direct)]).toEqual([expected, expected]);
        }),
      ),
      { numRuns: 25 },
    ));

  it('ranks a rare word above a frequent one, and a shorter chunk above a longer one with the same matches', () =>
    withIndex(open, async ({ index }) => {
      const common = Array.from({ length: 10 }, (_, n) => putText(n + 10, 'apple ember fjord'));
      await index.apply(partition, [...common, putText(1, 'knoll ember fjord grove heath'), putText(2, 'knoll ember')], aPosition(1));
      const hits = await index.search(reader, 'apple knoll', { k: 3 });
      expect(hits.map(({ chunkId }) => chunkId)).toEqual([aChunk(2), aChunk(1), aChunk(10)]);
    }));

  it('never shows part of a call to a concurrent search', () =>
    withIndex(open, async ({ index }) => {
      const version = (word: string) => Array.from({ length: 40 }, (_, n) => putText(n, `${word} cedar`));
      await index.apply(partition, version('apple'), aPosition(1));
      const writing = (async () => {
        for (let call = 2; call <= 20; call++) await index.apply(partition, version(call % 2 === 0 ? 'berry' : 'apple'), aPosition(call));
      })();
      for (let i = 0; i < 40; i++) {
        const found = await index.search(reader, 'apple berry', { k: 100 });
        expect(found).toHaveLength(40);
        expect(new Set(found.flatMap(({ terms }) => terms)).size).toBe(1);
      }
      await writing;
    }));

  it('returns nothing for a missing partition, an empty partition, and a query without words', () =>
    withIndex(open, async ({ index }) => {
      expect(await index.search(reader, 'apple', { k: 5 })).toEqual([]);
      await index.apply(partition, [putText(1, 'apple'), putText(2, '')], aPosition(1));
      for (const query of ['', ' \n', '?!', 'nowhere']) expect(await index.search(reader, query, { k: 5 })).toEqual([]);
      await index.apply(partition, [removal(1)], aPosition(2));
      expect(await index.search(reader, 'apple', { k: 5 })).toEqual([]);
    }));

  it('rejects a k outside 1-1000', () =>
    withIndex(open, async ({ index }) => {
      for (const k of [0, -1, 1.5, 1001, NaN]) await expect(index.search(reader, 'apple', { k })).rejects.toBeInstanceOf(InvalidValue);
    }));
};
