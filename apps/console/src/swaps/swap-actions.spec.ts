import { actionsOf, duration, freedText, needsReason, pastQueriesNamed, shareOf } from './swap-actions.ts';

const generation = (id: string, status: string) => ({ generation: id, embeddingVersion: `onnx:${id}/8`, status });
const swap = (id: string) => ({ generation: id }) as never;

describe('the actions of a swap', () => {
  const old = generation('g1', 'active');
  it.each([
    ['building', [old, generation('g2', 'building')], ['pause', 'cancel']],
    ['paused', [old, generation('g2', 'building')], ['resume', 'cancel']],
    ['ready', [old, generation('g2', 'ready')], ['cutOver', 'evaluate', 'cancel']],
    ['idle', [old], ['start']],
    ['idle', [generation('g1', 'retired'), generation('g2', 'active')], ['start']],
    ['idle', [generation('g1', 'active'), generation('g2', 'companion')], ['start', 'retire']],
    ['idle', [generation('g1', 'standby'), generation('g2', 'active')], ['rollBack', 'evaluate', 'retire', 'start']],
    ['idle', [generation('g1', 'active'), generation('g2', 'standby')], ['cutOver', 'evaluate', 'retire', 'start']],
  ] as const)('%s, %j', (state, generations, expected) => {
    expect(actionsOf({ state, generations: [...generations], swap: swap('g2') })).toEqual(expected);
  });

  it('do not include a second evaluation', () => {
    const view = { state: 'ready' as const, generations: [old, generation('g2', 'ready')], swap: swap('g2') };
    const run = { run: 'r1', by: 'person' as const, startedAt: '' };
    expect(actionsOf({ ...view, evaluationRun: { ...run, state: 'evaluating' } })).toEqual(['cutOver', 'cancel']);
    expect(actionsOf({ ...view, evaluationRun: { ...run, state: 'failed' } })).toContain('evaluate');
  });
});

describe('a cut-over', () => {
  const evaluation = (verdict: 'worse' | 'not-worse', id: string) => ({
    generation: id,
    against: 'g1',
    verdict,
    reasons: [],
    evaluatedAt: '',
  });
  it.each([
    [undefined, 'ready', false],
    [evaluation('not-worse', 'g2'), 'ready', false],
    [evaluation('worse', 'g2'), 'ready', true],
    [evaluation('worse', 'g2'), 'standby', true],
    [evaluation('worse', 'g2'), 'active', false],
    [evaluation('worse', 'g1'), 'ready', false],
  ] as const)('after %j of a generation that is %s needs a reason: %s', (known, status, expected) => {
    const generations = [generation('g1', 'active'), generation('g2', status)];
    expect(needsReason({ generations, ...(known ? { evaluation: { ...known, reasons: [] } } : {}) })).toBe(expected);
  });
});

describe('an evaluation', () => {
  const pastQueries = { after: '4711' };
  it.each([
    ['ready', 'active', pastQueries],
    ['standby', 'active', pastQueries],
    ['active', 'standby', undefined],
  ] as const)('of a swap whose generation is %s, next to one that is %s, asks %j', (status, other, expected) => {
    const generations = [generation('g1', other), generation('g2', status)];
    expect(pastQueriesNamed({ generations, swap: { generation: 'g2', pastQueries } as never })).toEqual(expected);
    expect(pastQueriesNamed({ generations })).toBeUndefined();
  });
});

describe('the progress of a swap', () => {
  it('is a share of its chunks, and complete only with its last range', () => {
    expect(shareOf({ chunks: 10, total: 40, ranges: { done: 8, total: 16 } })).toBe(0.25);
    expect(shareOf({ chunks: 40, total: 40, ranges: { done: 15, total: 16 } })).toBe(0.99);
    // One document was deleted meanwhile.
    expect(shareOf({ chunks: 39, total: 40, ranges: { done: 16, total: 16 } })).toBe(1);
    expect(shareOf({ chunks: 0, total: 0, ranges: { done: 4, total: 16 } })).toBe(0.25);
  });

  it.each([
    [0.2, '1 s'],
    [59, '59 s'],
    [61, '2 min'],
    [3_600, '1 h 0 min'],
    [11_000, '3 h 4 min'],
  ])('%d seconds are %s', (seconds, text) => expect(duration(seconds)).toBe(text));
});

it('says what a retirement freed, if it was measured', () => {
  expect(freedText({ freed: { memory: 2_621_440, disk: 512 } })).toBe(' 2.5 MB of memory and 512 B of disk are free.');
  expect(freedText({})).toBe('');
});
