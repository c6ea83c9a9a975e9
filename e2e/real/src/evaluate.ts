import { join } from 'node:path';
import type { Strategy } from '@palimpsest/client';
import { aDataFolder, PlatformUnderTest, type Settings } from '@palimpsest/e2e-support/platform-under-test';
import { palimpsest } from './command-line.ts';
import { figure, rounded } from '@palimpsest/e2e-support/figures';
import { realData } from '@palimpsest/e2e-support/real-data';

/** The output of `palimpsest eval --json`. */
type Evaluation = Readonly<{
  testSet: string;
  documents: number;
  failed: number;
  queries: number;
  results: readonly Readonly<{ strategy: Strategy; ndcg10: number; recall10: number; recall100: number; mrr10: number }>[];
}>;

/** `bm25`: nDCG@10 (k1 1.2, b .75, English stems) of another BM25 implementation on the same files. */
export type TestSet = Readonly<{ testSet: string; bm25: number; documents: number; queries: number }>;

export const TOLERANCE = 0.01;

/** Evaluates with the command line, records the figures, and returns nDCG@10 by strategy. */
export const evaluate = async (
  data: string,
  { testSet, documents, queries }: TestSet,
  { testSets = realData('beir'), options = [] }: Readonly<{ testSets?: string; options?: readonly string[] }> = {},
): Promise<Readonly<Record<Strategy, number>>> => {
  const { answer, code, stderr, seconds } = await palimpsest<Evaluation>(data, 'eval', join(testSets, testSet), ...options);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  expect(answer).toMatchObject({ testSet, documents, queries, failed: 0 });
  const shown = answer.results.map(
    ({ strategy, ndcg10, recall10 }) => `${strategy} ${ndcg10.toFixed(4)} (recall@10 ${recall10.toFixed(3)})`,
  );
  figure(`nDCG@10 ${testSet}`, `${shown.join(', ')}; ${rounded(seconds)}`);
  const ndcg = Object.fromEntries(answer.results.map(({ strategy, ndcg10 }) => [strategy, ndcg10]));
  return { DenseSparseHybrid: Number.NaN, DenseOnly: Number.NaN, SparseOnly: Number.NaN, DenseSparseRerank: Number.NaN, ...ndcg };
};

export const aPlatform = async (settings: Settings = {}): Promise<string> => {
  const data = await aDataFolder();
  await PlatformUnderTest.start(data, settings);
  return data;
};

/** BM25 reaches the published figure, and fusion is better than both rankings. */
export const expectFusionToWin = async (data: string, testSet: TestSet): Promise<void> => {
  const { DenseSparseHybrid, DenseOnly, SparseOnly } = await evaluate(data, testSet);
  expect(SparseOnly).toBeGreaterThanOrEqual(testSet.bm25 - TOLERANCE);
  expect(DenseSparseHybrid).toBeGreaterThan(Math.max(DenseOnly, SparseOnly));
};

/** In a language that the model does not know, dense search must do no harm. `testSets`: the folder of the test set */
export const expectFusionToDoNoHarm = async (data: string, testSet: TestSet, testSets?: string): Promise<void> => {
  const { DenseSparseHybrid, SparseOnly } = await evaluate(data, testSet, testSets === undefined ? {} : { testSets });
  expect(SparseOnly).toBeGreaterThanOrEqual(testSet.bm25 - TOLERANCE);
  expect(DenseSparseHybrid).toBeGreaterThanOrEqual(SparseOnly - TOLERANCE);
};
