import { gateLatency, gateMeasure, gateReason } from './gate.ts';

const pairs = (count: number, before: number, after: number) => Array.from({ length: count }, () => ({ before, after }));

describe('The measure of a gate', () => {
  it('passes equal sides, and counts the queries that changed', () => {
    const measure = gateMeasure([...pairs(58, 0.5, 0.5), { before: 0.2, after: 0.4 }, { before: 0.4, after: 0.3 }], 1);
    expect(measure).toMatchObject({ measure: 'nDCG@10', queries: 60, verdict: 'not-worse', better: 1, worse: 1 });
    expect(measure && gateReason(measure)).toMatch(
      /^nDCG@10 changed by \+0\.0017 \(95 % interval .* to .*\) over 60 queries: a loss beyond 0\.02 is ruled out$/,
    );
  });

  it('finds a loss', () => {
    const measure = gateMeasure(pairs(60, 0.8, 0.5), 1);
    expect(measure).toMatchObject({ verdict: 'worse', difference: expect.closeTo(-0.3, 9), better: 0, worse: 60 });
    expect(measure && gateReason(measure)).toMatch(/there is a loss, and one beyond 0\.02 is not ruled out$/);
  });

  it('decides nothing with fewer than 50 queries, and says how many are needed', () => {
    const measure = gateMeasure(pairs(49, 0.5, 1), 1);
    expect(measure).toMatchObject({ verdict: 'undecided', additionalQueries: 1 });
    expect(measure && gateReason(measure)).toBe('49 queries are too few: at least 50 are needed, probably 50');
  });

  it('does not exist without a query', () => expect(gateMeasure([], 1)).toBeUndefined());
});

describe('The latency of a side', () => {
  it('has its median and its 95th percentile', () => {
    expect(gateLatency(Array.from({ length: 101 }, (_, i) => i))).toEqual({ p50: 50, p95: 95 });
    expect(gateLatency([])).toBeUndefined();
  });
});
