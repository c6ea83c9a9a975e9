import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LexicalHit, LexicalIndex } from '@palimpsest/knowledge';
import { aPartition, aPosition, readable, withIndex } from './index-fixture.ts';
import { lexicalHistories, putText, queries, type LexicalIndexUnderTest } from './lexical-index-fixture.ts';
import { LexicalModel } from './lexical-index-model.ts';

/**
 * `partition`: BM25 by the book over the live chunks of the partition that is searched.
 * `collection`: document frequencies over all partitions that lie in one store together, and an average length that is set; so
 * scores say how well a chunk fits among the hits of one search, and nothing across partitions.
 */
export type LexicalStatistics = 'partition' | 'collection';

const partition = aPartition();
const reader = readable(partition);

/** Scores may be rounded and may carry one constant factor: relative to the best hit they agree with the book. */
const expectScoresByTheBook = (hits: readonly LexicalHit[], model: LexicalModel, query: string): void => {
  const [best] = hits;
  if (best === undefined) return;
  const unit = best.score / model.score(best.chunkId, query);
  for (const { chunkId, score } of hits) {
    const expected = unit * model.score(chunkId, query);
    expect(Math.abs(score - expected)).toBeLessThan(0.06 * expected + 0.02 * unit);
  }
};

/** Two chunks, and then what others write beside them. */
const aloneAndBesideOthers = async (index: LexicalIndex) => {
  await index.apply(partition, [putText(1, 'apple berry'), putText(2, 'berry cedar dune')], aPosition(1));
  const alone = await index.search(reader, 'apple berry', { k: 10 });
  await index.apply(aPartition('team:other'), Array.from({ length: 50 }, (_, n) => putText(n, 'apple apple apple')), aPosition(1));
  await index.apply(aPartition('deployment', { generation: 'g2' }), [putText(1, 'berry')], aPosition(1));
  return [alone, await index.search(reader, 'apple berry', { k: 10 })] as const;
};

export const lexicalStatisticsPromises = (open: () => Promise<LexicalIndexUnderTest>, statistics: LexicalStatistics): void => {
  if (statistics === 'partition') {
    it('scores by BM25 over the live chunks', () =>
      fc.assert(
        fc.asyncProperty(lexicalHistories, queries, fc.boolean(), (calls, query, reopened) =>
          withIndex(open, async ({ index, reopen }) => {
            const model = new LexicalModel();
            for (const [i, writes] of calls.entries()) {
              await index.apply(partition, writes, aPosition(i + 1));
              model.apply(writes);
            }
            expectScoresByTheBook(await (reopened ? await reopen() : index).search(reader, query, { k: 1000 }), model, query);
          })),
        { numRuns: 25 },
      ));

    it('scores by the statistics of the partition alone', () =>
      withIndex(open, async ({ index }) => {
        const [alone, besideOthers] = await aloneAndBesideOthers(index);
        expect(besideOthers).toEqual(alone);
      }));
    return;
  }

  it('scores every hit above nothing, and higher for the more frequent of two words that all else is equal for', () =>
    fc.assert(
      fc.asyncProperty(lexicalHistories, queries, (calls, query) =>
        withIndex(open, async ({ index }) => {
          for (const [i, writes] of calls.entries()) await index.apply(partition, writes, aPosition(i + 1));
          await index.apply(partition, [putText(100, `${query} zenith zenith yonder`), putText(101, `${query} zenith yonder yonder`)], aPosition(100));
          for (const { score } of await index.search(reader, query, { k: 1000 })) expect(score).toBeGreaterThan(0);
          const score = new Map((await index.search(reader, 'zenith', { k: 2 })).map((hit) => [Number.parseInt(hit.chunkId, 16), hit.score]));
          expect(score.get(100)).toBeGreaterThan(score.get(101) ?? NaN);
        })),
      { numRuns: 10 },
    ));

  it('finds the same chunks, by the same words, whatever others hold; only the scores follow what all hold together', () =>
    withIndex(open, async ({ index }) => {
      const [alone, besideOthers] = await aloneAndBesideOthers(index);
      const found = (hits: readonly LexicalHit[]) => hits.map(({ chunkId, terms }) => [chunkId, [...terms].sort()]).sort();
      expect(found(besideOthers)).toEqual(found(alone));
      expect(besideOthers.map(({ score }) => score)).not.toEqual(alone.map(({ score }) => score));
    }));
};
