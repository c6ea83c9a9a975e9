import { DEFAULT_CANARY_THRESHOLDS } from '@palimpsest/knowledge/canary';
import { generationId, type Position } from '@palimpsest/knowledge/values';
import { retrieval, type Answer, type Side } from '../../test/retrievals.ts';
import { SCOPE } from '../../test/world.ts';
import { CanaryComparison } from './canary-comparison.ts';

const aComparison = () =>
  new CanaryComparison({
    scope: SCOPE.scope,
    generation: generationId('g2'),
    against: generationId('g1'),
    thresholds: DEFAULT_CANARY_THRESHOLDS,
  });
let at = 0n;
const adding = (comparison: CanaryComparison, side: Side, count: number, answer: Answer = {}): readonly boolean[] =>
  Array.from({ length: count }, () => comparison.add(retrieval(side, answer).data, ++at as Position));

describe('the comparison of a canary', () => {
  it('counts the queries of both sides, and nothing else', () => {
    const comparison = aComparison();
    expect(comparison.evidence()).toBeUndefined();
    adding(comparison, 'canary', 3, { latencyMs: 7 });
    adding(comparison, 'active', 4, { empty: true });
    adding(comparison, 'canary', 5, { strategy: 'SparseOnly' });
    const { data } = retrieval('active');
    const [searched] = data.generations;
    const elsewhere = { ...data, generations: searched ? [{ ...searched, scope: 'team:blue' as never }] : [] };
    expect(comparison.add(elsewhere, 99n as Position)).toBe(false);
    expect(comparison.evidence()).toEqual({
      canary: { queries: 3, empty: 0, latencyP50: 7, latencyP95: 7, score: 3, agreement: 0.5 },
      active: { queries: 4, empty: 4, latencyP50: 10, latencyP95: 10, score: 3, agreement: 0.5 },
      findings: [],
      upTo: String(at - 5n),
    });
  });

  it('finds nothing where both sides are alike', () => {
    const comparison = aComparison();
    adding(comparison, 'active', 500);
    expect(adding(comparison, 'canary', 500)).not.toContain(true);
  });

  it.each<[string, Side, Answer, string]>([
    ['empty answers', 'canary', { empty: true }, 'empty'],
    ['a canary that cannot answer', 'failed', {}, 'empty'],
    ['slow answers', 'canary', { latencyMs: 40 }, 'latency'],
    ['vectors that no longer agree with words', 'canary', { agreement: 0 }, 'agreement'],
  ])('finds %s at the first look, with the evidence', (_, side, answer, measure) => {
    const comparison = aComparison();
    adding(comparison, 'active', 300);
    const found = adding(comparison, side, 25, answer);
    expect(found.indexOf(true)).toBe(24);
    expect(comparison.evidence()?.findings).toMatchObject([{ measure, level: 0.05 / 4 / 2 }]);
  });

  it('accepts what the thresholds accept', () => {
    const comparison = aComparison();
    adding(comparison, 'active', 500);
    expect(adding(comparison, 'canary', 200, { latencyMs: 14, agreement: 0.3 })).not.toContain(true);
  });
});
