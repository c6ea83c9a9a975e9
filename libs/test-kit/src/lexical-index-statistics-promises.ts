import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LexicalHit, LexicalIndex } from '@palimpsest/knowledge/read-models';
import { aPartition, aPosition, readable, withIndex } from './index-fixture.ts';
import { lexicalHistories, putText, queries, type LexicalIndexUnderTest } from './lexical-index-fixture.ts';
import { LexicalModel } from './lexical-index-model.ts';

/**
 * `measured`: textbook BM25 over the live chunks of the searched partition. `configured`: the average length of a chunk is a setting, so
 * scores differ from that.
 */
export type LexicalStatistics = 'measured' | 'configured';

const partition = aPartition();
const reader = readable(partition);

/** Scores may be rounded and have a constant factor: relative to the best hit they agree with textbook BM25. */
const expectTextbookScores = (hits: readonly LexicalHit[], model: LexicalModel, query: string): void => {
  const [best] = hits;
  if (best === undefined) return;
  const unit = best.score / model.score(best.chunkId, query);
  for (const { chunkId, score } of hits) {
    const expected = unit * model.score(chunkId, query);
    expect(Math.abs(score - expected)).toBeLessThan(0.06 * expected + 0.02 * unit);
  }
};

/** Searches two chunks before and after others are written to other partitions. */
const aloneAndWithOthers = async (index: LexicalIndex) => {
  await index.apply(partition, [putText(1, 'apple berry'), putText(2, 'berry cedar dune')], aPosition(1));
  const alone = await index.search(reader, 'apple berry', { k: 10 });
  await index.apply(
    aPartition('team:other'),
    Array.from({ length: 50 }, (_, n) => putText(n, 'apple apple apple')),
    aPosition(1),
  );
  await index.apply(aPartition('deployment', { generation: 'g2' }), [putText(1, 'berry')], aPosition(1));
  return [alone, await index.search(reader, 'apple berry', { k: 10 })] as const;
};

export const lexicalStatisticsPromises = (open: () => Promise<LexicalIndexUnderTest>, statistics: LexicalStatistics): void => {
  if (statistics === 'measured')
    it('scores by BM25 over the live chunks', () =>
      fc.assert(
        fc.asyncProperty(lexicalHistories, queries, fc.boolean(), (calls, query, reopened) =>
          withIndex(open, async ({ index, reopen }) => {
            const model = new LexicalModel();
            for (const [i, writes] of calls.entries()) {
              await index.apply(partition, writes, aPosition(i + 1));
              model.apply(writes);
            }
            expectTextbookScores(await (reopened ? await reopen() : index).search(reader, query, { k: 1000 }), model, query);
          }),
        ),
        { numRuns: 25 },
      ));

  it('scores only by the statistics of the partition', () =>
    withIndex(open, async ({ index }) => {
      const [alone, withOthers] = await aloneAndWithOthers(index);
      expect(withOthers).toEqual(alone);
    }));

  it('scores every hit above 0, and a higher word frequency higher', () =>
    fc.assert(
      fc.asyncProperty(lexicalHistories, queries, (calls, query) =>
        withIndex(open, async ({ index }) => {
          for (const [i, writes] of calls.entries()) await index.apply(partition, writes, aPosition(i + 1));
          await index.apply(
            partition,
            [putText(100, `${query} zenith zenith yonder`), putText(101, `${query} zenith yonder yonder`)],
            aPosition(100),
          );
          for (const { score } of await index.search(reader, query, { k: 1000 })) expect(score).toBeGreaterThan(0);
          const score = new Map(
            (await index.search(reader, 'zenith', { k: 2 })).map((hit) => [Number.parseInt(hit.chunkId, 16), hit.score]),
          );
          expect(score.get(100)).toBeGreaterThan(score.get(101) ?? NaN);
        }),
      ),
      { numRuns: 10 },
    ));
};
