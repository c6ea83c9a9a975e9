import { SeededRandom } from '@palimpsest/foundation';
import { areSlow, scaled, slowestAccepted, usualSearches } from './usual-searches.ts';

const random = new SeededRandom(7);
/** Searches of 10 to 20 ms. */
const searches = (count: number): number[] => Array.from({ length: count }, () => 10 + 10 * random.next());
const USUAL = { median: 15, p99: 20 };

describe('slow searches', () => {
  it('are those beyond 1.3 times the usual p99 and beyond the accepted time', () => {
    expect(usualSearches([...searches(99), 50])).toMatchObject({ median: expect.any(Number), p99: expect.any(Number) });
    expect(usualSearches([])).toBeUndefined();
    expect(slowestAccepted(USUAL, 0)).toBe(26);
    expect(slowestAccepted(USUAL, 200)).toBe(200);
    expect(slowestAccepted(undefined, 200)).toBe(200);
    expect(slowestAccepted(undefined, 0)).toBe(Infinity);
  });

  it('count only if they are more than one in a hundred, beyond chance', () => {
    expect(areSlow([...searches(19), 40], 26)).toBe(false);
    expect(areSlow([...searches(18), 40, 40], 26)).toBe(true);
    expect(areSlow([...searches(496), 40, 40, 40, 40], 26)).toBe(false);
    expect(areSlow([...searches(485), ...Array.from({ length: 15 }, () => 40)], 26)).toBe(true);
    expect(areSlow([], 26)).toBe(false);
  });

  it('seldom appear by chance', () => {
    const usual = usualSearches(searches(500)) ?? USUAL;
    const found = Array.from({ length: 1_000 }, () => areSlow(searches(20), slowestAccepted(usual, 0))).filter(Boolean);
    expect(found).toHaveLength(0);
  });

  it('are measured against slower searches if all of them became slower for another reason', () => {
    expect(scaled(USUAL, [30, 30, 30])).toEqual({ median: 30, p99: 40 });
    expect(scaled(USUAL, [5, 5, 5])).toEqual(USUAL);
    expect(scaled(USUAL, [])).toEqual(USUAL);
  });
});
