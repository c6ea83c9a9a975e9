import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aPlatform, evaluate, expectFusionToDoNoHarm, expectFusionToWin, TOLERANCE, type TestSet } from './evaluate.ts';

const ENGLISH: readonly TestSet[] = [
  { testSet: 'codebase-rag', bm25: 0.69, documents: 737, queries: 248 },
  { testSet: 'cranfield', bm25: 0.524, documents: 1400, queries: 225 },
];
const SCIFACT: TestSet = { testSet: 'scifact', bm25: 0.679, documents: 5183, queries: 300 };
/** The bundled model was not trained for these languages; `bm25` is the figure of the platform's own BM25. */
const OTHER_LANGUAGES: readonly TestSet[] = [
  { testSet: 'xquad-zh', bm25: 0.96, documents: 240, queries: 1181 },
  { testSet: 'xquad-de', bm25: 0.93, documents: 240, queries: 1181 },
  { testSet: 'xquad-ar', bm25: 0.945, documents: 240, queries: 1186 },
];

describe('retrieval with the bundled model', () => {
  let data: string;

  beforeAll(async () => {
    data = await aPlatform();
  });

  it.each(ENGLISH)('on $testSet: BM25 reaches the published figure ($bm25), and fusion is better than both rankings', (testSet) =>
    expectFusionToWin(data, testSet),
  );

  it.each(OTHER_LANGUAGES)(
    'on $testSet, in a language that the model does not know: fusion is as good as lexical search alone',
    (testSet) => expectFusionToDoNoHarm(data, testSet),
  );
});

/** Embedding the abstracts would take three minutes on two cores, and is not needed to measure BM25. */
describe('retrieval with a stand-in for the embedding model', () => {
  it('on scifact: BM25 reaches the published figure', async () => {
    const data = await aPlatform((await EmbeddingStandIn.open()).settings());
    const { SparseOnly } = await evaluate(data, SCIFACT, { options: ['--strategy', 'SparseOnly'] });
    expect(SparseOnly).toBeGreaterThanOrEqual(SCIFACT.bm25 - TOLERANCE);
  });
});
