import { aPlatform, expectFusionToDoNoHarm, expectFusionToWin, type TestSet } from './evaluate.ts';
import { withFewerQueries } from './fewer-queries.ts';

const PRODUCT_DOCS: TestSet = { testSet: 'productdocs', bm25: 0.702, documents: 232, queries: 100 };
/** The bundled model was not trained for this language; `bm25` is the figure of the platform's own BM25 on these queries. */
const CHINESE: TestSet = { testSet: 'xquad-zh', bm25: 0.96, documents: 240, queries: 148 };

/** Further sets, and all queries of this one, are in `retrieval-quality-long.spec.ts`. */
describe('retrieval with the bundled model', () => {
  let data: string;

  beforeAll(async () => {
    data = await aPlatform();
  });

  it('on productdocs: BM25 reaches the published figure, and fusion is better than both rankings', () =>
    expectFusionToWin(data, PRODUCT_DOCS));

  it('in a language that the model does not know: fusion is as good as lexical search alone', async () =>
    expectFusionToDoNoHarm(data, CHINESE, await withFewerQueries(CHINESE.testSet, 8)));
});
