import { chunkId } from '@palimpsest/knowledge';
import { fuseCandidates } from './fuse-candidates.ts';

const [a, b, c] = ['a', 'b', 'c'].map((letter) => chunkId(letter.repeat(32))) as [ReturnType<typeof chunkId>, ReturnType<typeof chunkId>, ReturnType<typeof chunkId>];
const dense = [{ chunkId: a, score: 0.8 }, { chunkId: b, score: 0.4 }];
const lexical = [{ chunkId: c, score: 7.5 }, { chunkId: b, score: 3 }];
const scores = (hits: ReturnType<typeof fuseCandidates>) => hits.map((hit) => [hit.chunkId, hit.score]);

describe('Candidates of the two searches', () => {
  it('of one alone keep its own order and scores, and say what they are', () => {
    const byVector = fuseCandidates({ dense, lexical: [] }, { strategy: 'DenseOnly', fusion: 'rrf' });
    expect(scores(byVector)).toEqual([[a, 0.8], [b, 0.4]]);
    expect(byVector[0]).toMatchObject({ dense: { rank: 1, score: 0.8 } });
    expect(byVector[0]?.explained()).toEqual({ label: 'cosine similarity', value: 0.8 });
    expect(scores(fuseCandidates({ dense: [], lexical }, { strategy: 'SparseOnly', fusion: 'weighted' }))).toEqual([[c, 7.5], [b, 3]]);
  });
  it('of both are fused as was asked for', () => {
    expect(fuseCandidates({ dense, lexical }, { strategy: 'DenseSparseHybrid', fusion: 'rrf' })[0]).toMatchObject({ chunkId: b, score: 1 / 62 + 1 / 62 });
    expect(fuseCandidates({ dense, lexical }, { strategy: 'DenseSparseHybrid', fusion: 'weighted' })[0]).toMatchObject({ chunkId: a, score: 0.7 });
  });
  it('less similar than asked for are dropped', () =>
    expect(scores(fuseCandidates({ dense, lexical: [] }, { strategy: 'DenseOnly', fusion: 'rrf', minScore: 0.5 }))).toEqual([[a, 0.8]]));
});
