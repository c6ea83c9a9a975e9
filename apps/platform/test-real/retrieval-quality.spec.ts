import { join } from 'node:path';
import type { Strategy } from '@palimpsest/client';
import { aDataFolder, PlatformUnderTest } from '../test/platform-under-test.ts';
import { palimpsest } from './command-line.ts';
import { figure, rounded } from './figures.ts';
import { realData } from './real-data.ts';

/** What `palimpsest eval --json` answers. */
type Evaluation = Readonly<{
  testSet: string; documents: number; failed: number; queries: number;
  results: readonly Readonly<{ strategy: Strategy; ndcg10: number; recall10: number; recall100: number; mrr10: number }>[];
}>;

/** nDCG@10 of BM25 (k1 1.2, b .75, English stems), measured on these files with an implementation that is not ours. */
const BM25_ELSEWHERE = [
  { testSet: 'scifact', expected: 0.679, documents: 5183, queries: 300 },
  { testSet: 'cranfield', expected: 0.524, documents: 1400, queries: 225 },
  { testSet: 'codebase-rag', expected: 0.69, documents: 737, queries: 248 },
  { testSet: 'productdocs', expected: 0.702, documents: 232, queries: 100 },
];
const TOLERANCE = 0.01;
const testSets = realData('beir');

/** All with the model of the repository: its 7,500 passages take about two minutes on two quiet cores. */
describe('retrieval, by the test sets', () => {
  let data: string;

  beforeAll(async () => {
    data = await aDataFolder();
    await PlatformUnderTest.start(data);
  });

  it.each(BM25_ELSEWHERE)('$testSet: SparseOnly is not below BM25 elsewhere ($expected)', async ({ testSet, expected, documents, queries }) => {
    const { answer, code, stderr, seconds } = await palimpsest<Evaluation>(data, 'eval', join(testSets, testSet));
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(answer).toMatchObject({ testSet, documents, queries, failed: 0 });
    const ndcg = Object.fromEntries(answer.results.map(({ strategy, ndcg10 }) => [strategy, ndcg10]));
    const shown = answer.results.map(({ strategy, ndcg10, recall10 }) => `${strategy} ${ndcg10.toFixed(4)} (recall@10 ${recall10.toFixed(3)})`);
    figure(`nDCG@10 ${testSet}`, `${shown.join(', ')}; ${rounded(seconds)}`);
    expect(ndcg['SparseOnly']).toBeGreaterThanOrEqual(expected - TOLERANCE);
    // Fusion is there to help: it may not lie below both of what it fuses.
    expect(ndcg['DenseSparseHybrid']).toBeGreaterThanOrEqual(Math.min(ndcg['DenseOnly'] ?? 1, ndcg['SparseOnly'] ?? 1));
  });
});
