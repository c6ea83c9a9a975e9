import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NO_LEXICAL_SPREAD, spreadOf, type LexicalIndex } from '@palimpsest/knowledge/read-models';
import { aChunk, aPartition, aPosition, readable, removal, withIndex } from './index-fixture.ts';
import { lexicalHistories, putText, queries, type LexicalIndexUnderTest } from './lexical-index-fixture.ts';
import { LexicalModel } from './lexical-index-model.ts';
import type { LexicalStatistics } from './lexical-index-statistics-promises.ts';

const partition = aPartition();
const reader = readable(partition);

/** The scores of all chunks, including those without a word of the query. */
const allScores = async (index: LexicalIndex, query: string): Promise<readonly number[]> => {
  const scores = (await index.search(reader, query, { k: 1000 })).map(({ score }) => score);
  return [...scores, ...Array.from({ length: (await index.count(partition)) - scores.length }, () => 0)];
};

export const lexicalSpreadPromises = (open: () => Promise<LexicalIndexUnderTest>, statistics: LexicalStatistics): void => {
  it('returns the mean and deviation of the scores of all chunks, after any history', () =>
    fc.assert(
      fc.asyncProperty(lexicalHistories, queries, fc.boolean(), (calls, query, reopened) =>
        withIndex(open, async ({ index, reopen }) => {
          const model = new LexicalModel();
          for (const [i, writes] of calls.entries()) {
            await index.apply(partition, writes, aPosition(i + 1));
            model.apply(writes);
          }
          const asked = reopened ? await reopen() : index;
          const spread = await asked.spread(reader, query);
          expect(spread.count).toBe(model.puts.length);
          expect(spread.mean).toBeCloseTo(spreadOf(await allScores(asked, query)).mean, 5);
          const [word = ''] = query.split(' ');
          expect((await asked.spread(reader, word)).deviation).toBeCloseTo(spreadOf(await allScores(asked, word)).deviation, 5);
          const expected = model.spread(query);
          expect(Math.abs(spread.attainable - expected.attainable)).toBeLessThan(0.01 * expected.attainable + 0.01);
          expect(Math.abs(spread.known - expected.known)).toBeLessThan(0.02);
          if (statistics === 'configured') return;
          expect(Math.abs(spread.deviation - expected.deviation)).toBeLessThan(0.06 * expected.deviation + 0.02);
        }),
      ),
      { numRuns: 15 },
    ));

  it('returns a bit-identical spread for equal contents, regardless of their history', () =>
    fc.assert(
      fc.asyncProperty(lexicalHistories, queries, (calls, query) =>
        withIndex(open, async ({ index, reopen }) => {
          // Of one scope: an index may arrange words by its key, which changes how sums are rounded.
          const [winding, direct] = [aPartition('team:red', { generation: 'g1' }), aPartition('team:red', { generation: 'g2' })];
          const model = new LexicalModel();
          for (const [i, writes] of calls.entries()) {
            await index.apply(winding, writes, aPosition(i + 1));
            model.apply(writes);
            await index.spread(readable(winding), query);
          }
          await index.apply(direct, [...model.puts].reverse(), aPosition(1));
          const expected = await index.spread(readable(direct), query);
          expect(await index.spread(readable(winding), query)).toEqual(expected);
          const again = await reopen();
          expect([await again.spread(readable(winding), query), await again.spread(readable(direct), query)]).toEqual([expected, expected]);
        }),
      ),
      { numRuns: 15 },
    ));

  it('analyses a query in the main language of its script, or in none if none is known', () =>
    withIndex(open, async ({ index }) => {
      expect(await index.spread(reader, 'apple')).toEqual(NO_LEXICAL_SPREAD);
      await index.apply(partition, [putText(1, 'apple')], aPosition(1));
      expect((await index.spread(reader, 'apple')).language).toBe('und');
      await index.apply(
        partition,
        [putText(2, 'apple', {}, 'en'), putText(3, 'яблоко', {}, 'ru'), putText(4, 'груша', {}, 'ru')],
        aPosition(2),
      );
      expect((await index.spread(reader, 'apple')).language).toBe('en');
      expect((await index.spread(reader, 'яблоко')).language).toBe('ru');
    }));

  it('analyses a query in the named language if chunks have it, and also finds chunks without a language', () =>
    withIndex(open, async ({ index }) => {
      await index.apply(
        partition,
        [putText(1, 'apple', {}, 'en'), putText(2, 'apple', {}, 'de'), putText(3, 'apple'), putText(4, 'pear', {}, 'de')],
        aPosition(1),
      );
      const language = async (named: string) => (await index.spread(reader, 'apple', named)).language;
      expect([await language('en'), await language('de'), await language('fr')]).toEqual(['en', 'de', 'de']);
      expect((await index.search(reader, 'apple', { k: 9, language: 'en' })).map(({ chunkId }) => chunkId)).toEqual(
        expect.arrayContaining([aChunk(1), aChunk(3)]),
      );
    }));

  it('gives chunks of equal length the same share of what a word could reach, however rare the word is', () =>
    withIndex(open, async ({ index }) => {
      const texts = ['apple cedar', 'berry cedar', 'berry dune', 'berry ember', 'fjord grove', 'heath islet'];
      await index.apply(
        partition,
        texts.map((text, n) => putText(n, text)),
        aPosition(1),
      );
      const shareOf = async (query: string, chunk: number) => {
        const [hits, { attainable }] = [await index.search(reader, query, { k: 9 }), await index.spread(reader, query)];
        return (hits.find(({ chunkId }) => chunkId === aChunk(chunk))?.score ?? 0) / attainable;
      };
      const rare = await shareOf('apple', 0);
      expect(rare).toBeGreaterThan(0);
      expect(await shareOf('berry', 1)).toBeCloseTo(rare, 4);
      expect(await shareOf('berry dune', 2)).toBeCloseTo(rare, 4);
    }));

  it('returns no spread for an empty partition', () =>
    withIndex(open, async ({ index }) => {
      await index.apply(partition, [putText(1, 'apple')], aPosition(1));
      await index.apply(partition, [removal(1)], aPosition(2));
      expect(await index.spread(reader, 'apple')).toEqual(NO_LEXICAL_SPREAD);
    }));
};
