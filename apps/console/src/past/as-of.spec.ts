import { asOfIn, inTime, isShown, justBefore } from './as-of.ts';

const entry = { position: '12', at: '2026-11-20T09:30:00.000Z' };

describe('the moment of a page', () => {
  it('is in its address', () => {
    expect(asOfIn(new URLSearchParams('q=x&asOf=12'))).toBe('12');
    expect(asOfIn(new URLSearchParams('asOf='))).toBeUndefined();
    expect(inTime('/search', '12')).toBe('/search?asOf=12');
    expect(inTime('/search?q=x', '2026-11-20T10:30:00+01:00')).toBe('/search?q=x&asOf=2026-11-20T10%3A30%3A00%2B01%3A00');
    expect(inTime('/search', undefined)).toBe('/search');
  });

  it.each([
    [undefined, true],
    ['12', true],
    ['11', false],
    ['100', true],
    ['2026-11-20T09:30:00Z', true],
    ['2026-11-20T10:29:59+01:00', false],
  ])('%s shows what was recorded until then: %s', (asOf, shown) => expect(isShown(entry, asOf)).toBe(shown));

  it('has one before it', () => expect(justBefore('9007199254740993')).toBe('9007199254740992'));
});
