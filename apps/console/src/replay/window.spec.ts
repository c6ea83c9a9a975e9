import { factsOf, parametersOf, requestOf, windowOf } from './window.ts';

const summary = { replayed: 0, identical: 0, changed: 0, gained: 0, lost: 0, moved: 0, causes: [], skipped: [] };

describe('a window of past searches', () => {
  it('is kept in the address', () => {
    const all = { after: '4711', before: '2026-11-24T12:00:00.000Z', scope: 'team:red', kb: 'handbook', max: '500' };
    expect(windowOf(new URLSearchParams(parametersOf(all)))).toEqual(all);
    expect(requestOf(all)).toEqual({ after: '4711', before: all.before, scope: 'team:red', knowledgeBase: 'handbook', max: 500 });
    expect(requestOf(windowOf(new URLSearchParams('max=1000000000')))).toEqual({ max: 20 });
  });

  it('has its totals in words', () => {
    expect(factsOf({ summary })).toEqual([['Replayed', '0 searches, 0 with other results or another order']]);
    const busy = {
      ...{ replayed: 40, identical: 39, changed: 12, gained: 20, lost: 19, moved: 7, overlap: 0.756, rbo: 0.7114 },
      causes: [
        { kind: 'cutOver' as const, changes: 30 },
        { kind: 'competitor' as const, changes: 9 },
      ],
      skipped: [{ reason: 'query' as const, count: 3 }],
    };
    expect(factsOf({ summary: busy })).toEqual([
      ['Replayed', '40 searches, 12 with other results or another order'],
      ['Exactly repeated', '39 of 40'],
      ['Changes', '20 gained, 19 lost, 7 moved'],
      ['Agreement', '76 % of the results are in both; rank-biased overlap 0.711'],
      ['Causes', 'Another generation: 30, Other passages: 9'],
      ['Not replayed', '3: the text of the query is not recorded'],
    ]);
  });
});
