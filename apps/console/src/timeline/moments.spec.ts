import type { TimelineEntry } from '@palimpsest/client';
import { enteredTime, localTime, stepAt, stepsOf } from './moments.ts';

const entry = (position: number): TimelineEntry => ({
  kind: 'knowledge-base',
  position: String(position),
  at: `2026-11-20T09:00:${String(position).padStart(2, '0')}.000Z`,
  knowledgeBase: 'handbook',
  change: 'configured',
});

describe('the slider of the timeline', () => {
  const steps = stepsOf([entry(30), entry(20), entry(10)]);

  it('has the oldest entry at its start', () => expect(steps.map(({ position }) => position)).toEqual(['10', '20', '30']));

  it.each([
    [undefined, 3],
    ['30', 2],
    ['29', 1],
    ['20', 1],
    ['10', 0],
    ['5', 0],
    ['2026-11-20T09:00:25Z', 1],
  ])('shows the moment %s at step %s', (asOf, step) => expect(stepAt(steps, asOf)).toBe(step));
});

describe('an entered time', () => {
  it('is one of the reader’s own time zone', () => {
    const iso = '2026-11-20T09:30:15.000Z';
    expect(localTime(iso)).toMatch(/^2026-11-\d\dT\d\d:\d\d:15$/);
    expect(enteredTime(localTime(iso))).toBe(iso);
  });
  it('may be missing', () => expect(enteredTime('')).toBeUndefined());
});
