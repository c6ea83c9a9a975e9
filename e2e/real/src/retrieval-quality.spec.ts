import { aPlatform, expectFusionToDoNoHarm, expectFusionToWin, type TestSet } from './evaluate.ts';

const ENGLISH: readonly TestSet[] = [
  { testSet: 'codebase-rag', bm25: 0.69, documents: 737, queries: 248 },
  { testSet: 'productdocs', bm25: 0.702, documents: 232, queries: 100 },
];
/** The bundled model was not trained for this language; `bm25` is the figure of the platform's own BM25. */
const CHINESE: TestSet = { testSet: 'xquad-zh', bm25: 0.96, documents: 240, queries: 1181 };

/** Further sets are in `retrieval-quality-long.spec.ts`. */
describe('retrieval with the bundled model', () => {
  let data: string;

  beforeAll(async () => {
    data = await aPlatform();
  });

  it.each(ENGLISH)('on $testSet: BM25 reaches the published figure ($bm25), and fusion is better than both rankings', (testSet) =>
    expectFusionToWin(data, testSet),
  );

  it('in a language that the model does not know: fusion is as good as lexical search alone', () => expectFusionToDoNoHarm(data, CHINESE));
});
