import { join } from 'node:path';
import type { Strategy } from '@palimpsest/client';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
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
type TestSet = Readonly<{ testSet: string; bm25: number; documents: number; queries: number }>;

const SCIFACT: TestSet = { testSet: 'scifact', bm25: 0.679, documents: 5183, queries: 300 };
const SMALLER_ONES: readonly TestSet[] = [
  { testSet: 'cranfield', bm25: 0.524, documents: 1400, queries: 225 },
  { testSet: 'codebase-rag', bm25: 0.69, documents: 737, queries: 248 },
  { testSet: 'productdocs', bm25: 0.702, documents: 232, queries: 100 },
];
/** In languages that the bundled model was not trained for; `bm25` is the figure of the platform's own BM25. */
const OTHER_LANGUAGES: readonly TestSet[] = [
  { testSet: 'xquad-de', bm25: 0.93, documents: 240, queries: 1181 },
  { testSet: 'xquad-zh', bm25: 0.96, documents: 240, queries: 1181 },
  { testSet: 'xquad-ar', bm25: 0.945, documents: 240, queries: 1186 },
];
const TOLERANCE = 0.01;
const testSets = realData('beir');

/** Evaluates with the command line, records the figures, and returns nDCG@10 by strategy. */
const evaluate = async (
  data: string,
  { testSet, documents, queries }: TestSet,
  ...options: readonly string[]
): Promise<Readonly<Record<Strategy, number>>> => {
  const { answer, code, stderr, seconds } = await palimpsest<Evaluation>(data, 'eval', join(testSets, testSet), ...options);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  expect(answer).toMatchObject({ testSet, documents, queries, failed: 0 });
  const shown = answer.results.map(
    ({ strategy, ndcg10, recall10 }) => `${strategy} ${ndcg10.toFixed(4)} (recall@10 ${recall10.toFixed(3)})`,
  );
  figure(`nDCG@10 ${testSet}`, `${shown.join(', ')}; ${rounded(seconds)}`);
  const ndcg = Object.fromEntries(answer.results.map(({ strategy, ndcg10 }) => [strategy, ndcg10]));
  return { DenseSparseHybrid: Number.NaN, DenseOnly: Number.NaN, SparseOnly: Number.NaN, ...ndcg };
};

const aPlatform = async (settings: Settings = {}): Promise<string> => {
  const data = await aDataFolder();
  await PlatformUnderTest.start(data, settings);
  return data;
};

describe('retrieval with the bundled model', () => {
  let data: string;

  beforeAll(async () => {
    data = await aPlatform();
  });

  it.each(SMALLER_ONES)(
    'on $testSet: BM25 reaches the published figure ($bm25), and fusion is better than both rankings',
    async (testSet) => {
      const { DenseSparseHybrid, DenseOnly, SparseOnly } = await evaluate(data, testSet);
      expect(SparseOnly).toBeGreaterThanOrEqual(testSet.bm25 - TOLERANCE);
      expect(DenseSparseHybrid).toBeGreaterThan(Math.max(DenseOnly, SparseOnly));
    },
  );

  it.each(OTHER_LANGUAGES)(
    'on $testSet, in a language that the model does not know: fusion is as good as lexical search alone',
    async (testSet) => {
      const { DenseSparseHybrid, SparseOnly } = await evaluate(data, testSet);
      expect(SparseOnly).toBeGreaterThanOrEqual(testSet.bm25 - TOLERANCE);
      expect(DenseSparseHybrid).toBeGreaterThanOrEqual(SparseOnly - TOLERANCE);
    },
  );
});

/** Embedding the abstracts would take three minutes on two cores, and is not needed to measure BM25. */
describe('retrieval with a stand-in for the embedding model', () => {
  it('on scifact: BM25 reaches the published figure', async () => {
    const data = await aPlatform((await EmbeddingStandIn.open()).settings());
    const { SparseOnly } = await evaluate(data, SCIFACT, '--strategy', 'SparseOnly');
    expect(SparseOnly).toBeGreaterThanOrEqual(SCIFACT.bm25 - TOLERANCE);
  });
});
