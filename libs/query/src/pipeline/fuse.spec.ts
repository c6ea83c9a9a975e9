import { chunkId } from '@palimpsest/knowledge/values';
import { fuseCandidates } from './fuse.ts';

const [a, b, c] = ['a', 'b', 'c'].map((letter) => chunkId(letter.repeat(32))) as [
  ReturnType<typeof chunkId>,
  ReturnType<typeof chunkId>,
  ReturnType<typeof chunkId>,
];
const none = { hits: [], absent: 0 };
const dense = {
  hits: [
    { chunkId: a, score: 0.8, standard: 4 },
    { chunkId: b, score: 0.4, standard: 2 },
  ],
  absent: 1,
};
const lexical = {
  hits: [
    { chunkId: c, score: 7.5, standard: 8 },
    { chunkId: b, score: 3, standard: 3 },
  ],
  absent: -0.5,
};
const scores = (hits: ReturnType<typeof fuseCandidates>) => hits.map((hit) => [hit.chunkId, hit.score]);

describe('Candidates of the two searches', () => {
  it('of a single search keep its order and scores, and explain them', () => {
    const byVector = fuseCandidates({ dense, lexical: none }, { strategy: 'DenseOnly', fusion: 'rrf' });
    expect(scores(byVector)).toEqual([
      [a, 0.8],
      [b, 0.4],
    ]);
    expect(byVector[0]).toMatchObject({ stages: { dense: { rank: 1, score: 0.8 } } });
    expect(byVector[0]?.explained()).toEqual({ label: 'cosine similarity', value: 0.8 });
    expect(scores(fuseCandidates({ dense: none, lexical }, { strategy: 'SparseOnly', fusion: 'weighted' }))).toEqual([
      [c, 7.5],
      [b, 3],
    ]);
  });
  it('of both are fused as requested', () => {
    expect(fuseCandidates({ dense, lexical }, { strategy: 'DenseSparseHybrid', fusion: 'rrf' })[0]).toMatchObject({
      chunkId: b,
      score: 1 / 62 + 1 / 62,
    });
    expect(fuseCandidates({ dense, lexical }, { strategy: 'DenseSparseHybrid', fusion: 'weighted' })[0]).toMatchObject({
      chunkId: a,
      score: 0.7,
    });
  });
  it('of a single search get standard scores when their own are not comparable', () => {
    const [first] = fuseCandidates(
      { dense, lexical: none },
      { strategy: 'DenseOnly', fusion: 'zscore' },
      { comparable: { dense: false, lexical: true } },
    );
    expect(first).toMatchObject({ chunkId: a, score: 4, stages: { dense: { rank: 1, score: 0.8 } } });
    expect(first?.explained()).toEqual({ label: 'standard score', value: 4 });
  });
  it('have the weight of their scope', () => {
    const fused = fuseCandidates(
      { dense, lexical },
      { strategy: 'DenseSparseHybrid', fusion: 'zscore' },
      { denseWeight: (id) => (id === c ? 0.2 : 0.6) },
    );
    expect(scores(fused).map(([id, score]) => [id, Number(Number(score).toFixed(2))])).toEqual([
      [c, 6.6],
      [b, 2.4],
      [a, 2.2],
    ]);
  });
  it('below the requested similarity are dropped', () =>
    expect(scores(fuseCandidates({ dense, lexical: none }, { strategy: 'DenseOnly', fusion: 'rrf', minScore: 0.5 }))).toEqual([[a, 0.8]]));
});
