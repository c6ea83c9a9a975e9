import { ANY_TIME, isLimited, timesIn, windowProblem, windowText } from './time-window.ts';

const NOON = '2026-11-24T12:00:00.000Z';

describe('a window of time', () => {
  it('is sent only as far as it is filled', () => {
    expect([timesIn(ANY_TIME), timesIn({ after: NOON, before: '' }), timesIn({ after: '', before: '4711' })]).toEqual([
      {},
      { after: NOON },
      { before: '4711' },
    ]);
    expect([ANY_TIME, { after: NOON, before: '' }, { after: '', before: NOON }].map(isLimited)).toEqual([false, true, true]);
  });

  it.each([
    ['', '', true],
    [NOON, '', true],
    ['', NOON, true],
    [NOON, '2026-11-24T12:00:01.000Z', true],
    [NOON, NOON, false],
    [NOON, '2026-11-24T12:30:00.000+01:00', false],
    ['9', '10', true],
    ['10', '9', false],
    ['4711', NOON, true],
  ])('from %j to %j can contain something: %s', (after, before, expected) => {
    expect(windowProblem({ after, before }) === undefined).toBe(expected);
  });

  it('is named in words', () => {
    expect(windowText({})).toBe('');
    expect(windowText({ after: '4711' })).toBe('after position 4711');
    expect(windowText({ after: '4711', before: '2026-11-24T12:00:00' })).toBe('after position 4711; before 24 Nov 2026, 12:00:00');
  });
});
