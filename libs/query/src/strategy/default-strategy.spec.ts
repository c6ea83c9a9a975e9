import type { Generation } from '@palimpsest/knowledge/deciders';
import { generationId, knowledgeBaseId, type Recipe } from '@palimpsest/knowledge/values';
import { aFakeReranker } from '@palimpsest/test-kit';
import { defaultStrategy, rerankerInUse } from './default-strategy.ts';

const RERANKER = { version: 'fake:overlap', weight: 0.5, candidates: 30 };
const RERANK = { strategy: 'DenseSparseRerank', reranker: RERANKER } as const;
const HYBRID = { strategy: 'DenseSparseHybrid' } as const;

const RECIPE = {} as Recipe;

const base = (id: string, strategy?: typeof RERANK | typeof HYBRID | { strategy: 'DenseOnly' }) => ({
  id: knowledgeBaseId(id),
  ...(strategy ? { strategy } : {}),
});

describe('The default strategy of a search', () => {
  it('is the common one, without a word about it, if no knowledge base has another one', () => {
    for (const bases of [[], [base('a')], [base('a'), base('b', HYBRID)]])
      expect(defaultStrategy(bases, RERANKER)).toEqual({ used: HYBRID });
  });

  it('is that of all searched knowledge bases', () => {
    expect(defaultStrategy([base('a', RERANK), base('b', RERANK)], RERANKER)).toEqual({
      used: RERANK,
      detail: 'DenseSparseRerank with fake:overlap (weight 0.5, best 30 results) is the default strategy of the searched knowledge bases',
    });
    expect(defaultStrategy([base('a', { strategy: 'DenseOnly' })], undefined).used).toEqual({ strategy: 'DenseOnly' });
  });

  it('is the common one if they have different ones, which are named', () => {
    const many = Array.from({ length: 7 }, (_, i) => base(`k${i}`, i === 0 ? { strategy: 'DenseOnly' } : undefined));
    expect(defaultStrategy(many, RERANKER)).toEqual({
      used: HYBRID,
      detail: expect.stringMatching(
        /^DenseSparseHybrid was used, since the searched knowledge bases have different strategies \(k0: DenseOnly; k1: DenseSparseHybrid; .*; and 2 more\)$/,
      ),
    });
  });

  it.each<[string, typeof RERANKER | undefined, string]>([
    ['there is none', undefined, 'no reranker'],
    ['there is another one', { ...RERANKER, version: 'fake:next' }, 'DenseSparseRerank with fake:next (weight 0.5, best 30 results)'],
    ['its scores have another weight', { ...RERANKER, weight: 0.9 }, 'DenseSparseRerank with fake:overlap (weight 0.9, best 30 results)'],
  ])('is the common one instead of a reranker that was evaluated, if %s', (_, reranker, now) => {
    const { used, detail } = defaultStrategy([base('a', RERANK)], reranker);
    expect(used).toEqual(HYBRID);
    expect(detail).toMatch(/^DenseSparseHybrid was used instead of DenseSparseRerank with fake:overlap .*: evaluate it first$/);
    expect(detail).toContain(`since this installation has ${now}`);
  });

  it('names a reranker with what changes its results', () => {
    expect(rerankerInUse(undefined, [])).toBeUndefined();
    expect(rerankerInUse({ reranker: aFakeReranker(), candidates: 20, weight: 0.3, ms: 5 }, [])).toEqual({
      ...{ version: 'fake:overlap', candidates: 20, weight: 0.3 },
    });
  });

  it('names companions by their models, so that another model has to be evaluated first', () => {
    const built = (id: string, version: string, status: Generation['status']): Generation => ({
      ...{ id: generationId(id), embeddingVersion: version as Generation['embeddingVersion'], status, recipe: RECIPE },
    });
    const inUse = (...scopes: readonly (readonly Generation[])[]) =>
      rerankerInUse(
        { reranker: 'companion', candidates: 30, weight: 0.2, ms: 5 },
        scopes.map((generations) => ({ generations })),
      )?.version;
    const [active, companion] = [built('g1', 'model:one/8', 'active'), built('g2', 'model:two/8', 'companion')];
    expect(inUse([active, companion])).toBe('model:two/8');
    expect(inUse([active, companion], [companion], [active])).toBe('model:two/8');
    expect(inUse([companion], [built('g3', 'model:three/8', 'companion')])).toBe('model:two/8 + model:three/8');
    expect(inUse([active])).toBeUndefined();
  });
});
