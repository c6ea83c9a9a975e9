import { rebuildActionsOf, rebuildFacts } from './rebuild-facts.ts';

describe('a rebuild on the overview', () => {
  it.each([
    ['running', ['Pause', 'Cancel']],
    ['paused', ['Resume', 'Cancel']],
    ['complete', []],
    ['cancelled', []],
    ['failed', []],
    ['none', []],
  ] as const)('that is %s can be: %j', (state, names) => {
    expect(rebuildActionsOf({ state }).map(({ name }) => name)).toEqual(names);
  });

  it('shows rate, cap and the rest while it runs, and its result at the end', () => {
    expect(rebuildFacts({ state: 'running', eventsPerSecond: 481.6, maxEventsPerSecond: 500, remainingSeconds: 30 })).toEqual([
      '482 events per second',
      'at most 500',
      expect.stringMatching(/ left$/),
    ]);
    expect(rebuildFacts({ state: 'complete', result: { documents: 1, chunks: 12, seconds: 1, position: '9', embeddingCalls: 0 } })).toEqual(
      ['1 document, 12 chunks'],
    );
    expect(rebuildFacts({ state: 'paused' })).toEqual([]);
    expect(rebuildFacts({ state: 'paused', scopes: ['team:red', 'deployment'], tenant: 'acme' })).toEqual([
      'only team:red, deployment of acme',
    ]);
  });
});
