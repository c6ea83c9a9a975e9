import { InvalidValue } from '../errors.ts';
import { planId, planNumber } from './plan-id.ts';

describe('the id of a plan', () => {
  it('names its number', () => expect(planNumber(planId('p12'))).toBe(12));
  it.each(['', 'p', 'p0', 'p01', 'g1', 'P1', 'p1 ', 7, undefined])('is not %p', (raw) => expect(() => planId(raw)).toThrow(InvalidValue));
});
