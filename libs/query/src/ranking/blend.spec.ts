import { chunkId } from '@palimpsest/knowledge/values';
import fc from 'fast-check';
import type { Explanation } from './fusion.ts';
import { blend, whyFlat } from './blend.ts';

const hits = (...scores: readonly number[]) =>
  scores.map((score, i) => ({
    chunkId: chunkId(i.toString(16).padStart(32, '0')),
    score,
    explained: () => ({ label: 'search', value: score }),
  }));
const order = (blended: ReturnType<typeof hits>) => blended.map(({ chunkId: id }) => parseInt(id, 16));
const by = (weight: number) => ({ weight, name: 'fake:one' });

const scores = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 30 });

describe('Blending two scores', () => {
  it('adds standard scores, so that their units do not matter', () => {
    const [one, other] = [blend(hits(3, 2, 1), [0.1, 0.9, 0.2], by(0.5)), blend(hits(300, 200, 100), [1, 9, 2], by(0.5))];
    expect(order([...one])).toEqual([1, 0, 2]);
    one.forEach(({ score }, i) => expect(score).toBeCloseTo(other[i]?.score ?? NaN, 9));
  });

  it('keeps the order of the search with the weight 0, and takes that of the reranker with the weight 1', () => {
    expect(order([...blend(hits(3, 2, 1), [1, 2, 3], by(0))])).toEqual([0, 1, 2]);
    expect(order([...blend(hits(3, 2, 1), [1, 2, 3], by(1))])).toEqual([2, 1, 0]);
  });

  it('does not let a reranker that contradicts the search win over its clear favourite with a smaller weight', () =>
    expect(order([...blend(hits(10, 1, 0.9, 0.8), [0.4, 0.5, 0.3, 0.2], by(0.3))])[0]).toBe(0));

  it('neither raises nor lowers a hit that the reranker knows nothing of, and standardises over the others', () => {
    const blended = blend(hits(3, 2, 1), [1, undefined, 3], by(0.5));
    const unscored = blended.find(({ score }) => score === 0);
    const other = (Math.sqrt(1.5) - 1) / 2;
    expect(blended.map(({ score }) => score)).toEqual([other, 0, -other].map((score) => expect.closeTo(score, 12)));
    const { parts = [] }: Explanation = unscored?.explained() ?? { label: '', value: NaN };
    expect(parts[1]).toEqual({ label: '0.5 × fake:one 0 (no score: that of the search counts)', value: 0 });
    expect(blend(hits(3, 1), [undefined, 4], by(0.9))[0]?.score).toBeCloseTo(1, 12);
  });

  it('explains each score as the sum of its parts, with rank and score of the reranker', () => {
    const [best] = blend(hits(3, 1), [-4, 8], by(0.25));
    const { value, parts = [] }: Explanation = best?.explained() ?? { label: '', value: NaN };
    expect(value).toBe(best?.score);
    expect(parts.reduce((sum, part) => sum + part.value, 0)).toBeCloseTo(value, 12);
    expect(parts).toEqual([
      { label: '0.75 × search 1 (rank 1)', value: 0.75, parts: [{ label: 'search', value: 3 }] },
      { label: '0.25 × fake:one -1 (rank 2, score -4)', value: -0.25 },
    ]);
  });

  it('returns every hit once, with a finite score, best first', () =>
    fc.assert(
      fc.property(scores, fc.double({ min: 0, max: 1, noNaN: true }), fc.integer(), (given, weight, seed) => {
        const its = given.map((_, i) => Math.sin(seed + i));
        const blended = blend(hits(...given), its, by(weight));
        expect(new Set(order([...blended])).size).toBe(given.length);
        blended.forEach(({ score }, i) => {
          expect(Number.isFinite(score)).toBe(true);
          expect(score).toBeLessThanOrEqual(blended[i - 1]?.score ?? Infinity);
        });
      }),
    ));

  it.each([
    ['are all the same', [0.5, 0.5, 0.5]],
    ['are probabilities near 0', [0.0001, 0.004, 0.002]],
    ['are large and differ by little', [1_000, 1_001, 1_002]],
    ['are those of one result', [0.9]],
    ['are those of none', []],
  ])('is not worth it if the scores of the reranker %s', (_, given) => expect(whyFlat(given)).toBeDefined());

  it.each([
    ['probabilities', [0.01, 0.9]],
    ['logits', [-11.2, -10.9, 4]],
    ['ranks', [3, 2, 1]],
  ])('is worth it for %s that differ', (_, given) => expect(whyFlat(given)).toBeUndefined());
});
