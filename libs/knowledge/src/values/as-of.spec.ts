import fc from 'fast-check';
import { InvalidValue } from '../errors.ts';
import { asOf, asOfText } from './as-of.ts';

describe('A moment in the past', () => {
  it('is a position', () => {
    expect(asOf('17')).toEqual({ position: 17n });
    expect(asOfText(asOf('17'))).toBe('17');
  });

  it('is a time with an offset, which is kept in UTC', () => {
    expect(asOf('2026-11-20T09:30:00+02:00')).toEqual({ time: '2026-11-20T07:30:00.000Z' });
    expect(asOf('2026-11-20t09:30:00.123456z')).toEqual({ time: '2026-11-20T09:30:00.123Z' });
    expect(asOf('2024-02-29T00:00:00Z')).toEqual({ time: '2024-02-29T00:00:00.000Z' });
  });

  it.each<[unknown, string]>([
    ['', 'nothing'],
    ['yesterday', 'a word'],
    ['2026-11-20', 'a day'],
    ['2026-11-20T09:30:00', 'a time without an offset'],
    ['2026-02-30T09:30:00Z', 'a day that does not exist'],
    ['2026-11-20T25:00:00Z', 'an hour that does not exist'],
    ['2026-11-20T09:30:60Z', 'a leap second'],
    ['-1', 'a negative number'],
    ['9223372036854775808', 'more than any position'],
    ['017', 'a number with zeros'],
    [17, 'a number of JSON'],
    [undefined, 'no value'],
  ])('is not %j: %s', (raw) => {
    expect(() => asOf(raw)).toThrow(InvalidValue);
    expect(() => asOf(raw, 'from')).toThrow(/^from: expected a position/);
  });

  it('is the same after it was written and read, for any instant', () =>
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
        (date) => {
          expect(asOf(date.toISOString())).toEqual({ time: date.toISOString() });
        },
      ),
    ));
});
