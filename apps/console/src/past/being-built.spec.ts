import { ProblemError } from '@palimpsest/client';
import { inPast, isBeingBuilt, progressOf } from './being-built.ts';

const problem = (status: number, code: string): ProblemError => new ProblemError({ status, code });

describe('a moment that is being built', () => {
  it('says how far it is', () => {
    expect(progressOf('the read models as of position 7 are being built from the log (40 %); repeat the request')).toBe(0.4);
    expect(progressOf('the read models are at position 7, not at 9 yet')).toBeUndefined();
  });

  it('is waited for, and nothing else is', () => {
    const { retry } = inPast('7');
    expect([problem(503, 'NotCaughtUp'), problem(429, 'Overloaded'), new Error('x')].map((error) => retry?.(9, error))).toEqual([
      true,
      false,
      false,
    ]);
    expect(isBeingBuilt(null)).toBe(false);
  });

  it('concerns no query about now', () => expect(inPast(undefined)).toEqual({}));
});
