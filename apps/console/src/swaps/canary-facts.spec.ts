import { canaryCandidate, findingOf, isRunning, rowsOf, summaryOf } from './canary-facts.ts';

const generations = (...statuses: string[]) => statuses.map((status, i) => ({ generation: `g${i + 1}`, embeddingVersion: 'a/1', status }));
const canary = {
  ...{ generation: 'g2', against: 'g1', share: 5, startedAt: '2026-11-22T08:00:00.000Z' },
  thresholds: { emptyShare: 0.05, slowdown: 1.5, scoreDrop: 0.5, agreementDrop: 0.5 },
};

describe('the canary of a swap in the console', () => {
  it('can be started for the generation that a cut-over would activate', () => {
    expect(canaryCandidate({ generations: generations('active', 'ready') })).toBe('g2');
    expect(canaryCandidate({ generations: generations('active', 'standby') })).toBe('g2');
    for (const without of [['active'], ['active', 'building'], ['standby', 'active'], ['active', 'retired']])
      expect(canaryCandidate({ generations: generations(...without) })).toBeUndefined();
  });

  it('says who is served by what, and why it ended', () => {
    expect([isRunning(canary), isRunning(undefined)]).toEqual([true, false]);
    expect(summaryOf(canary)).toBe('g2 serves 5 % of the callers, g1 the others.');
    const ended = { reason: 'regression' as const, endedAt: '2026-11-22T08:10:00.000Z' };
    expect(isRunning({ ...canary, ended })).toBe(false);
    expect(summaryOf({ ...canary, ended })).toMatch(/served 5 % .* worse, so they were returned\.$/);
  });

  it('shows both sides, with a dash for what was not measured', () => {
    const rows = rowsOf({ active: { queries: 200, empty: 3, latencyP50: 9 }, canary: { queries: 0, empty: 0 } });
    expect(rows.slice(0, 4)).toEqual([
      ['Queries', '200', '0'],
      ['Without a result', '1.5 %', '–'],
      ['Latency p50', '9.0 ms', '–'],
      ['Latency p95', '–', '–'],
    ]);
    expect(findingOf({ measure: 'empty', canary: 0.4, active: 0.01, p: 1e-6, level: 0.002 })).toBe(
      'Share of empty answers: 0.400 instead of 0.010',
    );
  });
});
