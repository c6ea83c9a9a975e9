import { SeededRandom } from '@palimpsest/foundation';
import fc from 'fast-check';
import type { MeasuredSides } from './compare-sides.ts';
import { compareCandidates, compareSides } from './compare-sides.ts';

const OPTIONS = { margin: 0.02, seed: 1 };
/** Scores of this number of queries; `after` differs by noise and by `shift`. */
const sides = (queries: number, shift: number, noise: number, measure = 'nDCG@10'): MeasuredSides => {
  const random = new SeededRandom(5);
  const before = Array.from({ length: queries }, () => 0.3 + random.next() * 0.4);
  return { measure, before, after: before.map((value) => value + shift + (random.next() - 0.5) * noise) };
};

describe('A comparison of two sides', () => {
  it('finds a side that is as good not worse, with its figures', () => {
    const { before, after } = sides(400, 0, 0.2);
    const comparison = compareSides([{ measure: 'nDCG@10', before, after }], OPTIONS);
    const [measure] = comparison.measures;
    expect(comparison).toMatchObject({ queries: 400, verdict: 'not worse', margin: 0.02, level: 0.05, seed: 1 });
    expect(comparison).not.toHaveProperty('additionalQueries');
    expect(measure?.difference).toBeCloseTo((measure?.after ?? 0) - (measure?.before ?? 0), 12);
    expect(measure?.interval[0]).toBeGreaterThan(-0.02);
    expect(measure?.interval[0]).toBeLessThan(measure?.difference ?? -1);
    expect(measure?.interval[1]).toBeGreaterThan(measure?.difference ?? 1);
  });

  it('finds a loss, also if only one of several measures has it', () => {
    const comparison = compareSides([sides(200, 0.05, 0.2, 'R@100'), sides(200, -0.05, 0.2)], OPTIONS);
    expect(comparison.verdict).toBe('worse');
    expect(comparison.measures.map(({ verdict }) => verdict)).toEqual(['not worse', 'worse']);
    expect(comparison.measures[1]?.adjustedP).toBeCloseTo(2 * (comparison.measures[1]?.p ?? 0), 12);
  });

  it('does not call a loss within the margin worse, however certain it is', () => {
    const comparison = compareSides([sides(2_000, -0.01, 0.1)], OPTIONS);
    expect(comparison).toMatchObject({ verdict: 'not worse', measures: [{ p: 1 / 10_001 }] });
  });

  it('is undecided when the noise hides what matters, and names the number of queries that decides it', () => {
    const comparison = compareSides([sides(60, 0, 0.5)], OPTIONS);
    expect(comparison.verdict).toBe('undecided');
    const needed = 60 + (comparison.additionalQueries ?? 0);
    expect(comparison.measures[0]?.smallestDetectableEffect).toBeGreaterThan(0.02);
    expect(needed).toBeGreaterThan(100);
    expect(compareSides([sides(needed, 0, 0.5)], OPTIONS).verdict).toBe('not worse');
  });

  it('is undecided below 50 queries, whatever they say', () => {
    for (const shift of [-0.3, 0, 0.3])
      expect(compareSides([sides(49, shift, 0)], OPTIONS)).toMatchObject({ verdict: 'undecided', additionalQueries: 1 });
    expect(compareSides([sides(1, -0.3, 0)], OPTIONS)).toMatchObject({ verdict: 'undecided', additionalQueries: 49 });
    expect([-0.3, 0].map((shift) => compareSides([sides(50, shift, 0)], OPTIONS).verdict)).toEqual(['worse', 'not worse']);
  });

  it('says what identical results do not rule out', () => {
    expect(compareSides([sides(100, 0, 0)], OPTIONS).unseenShare).toBeCloseTo(0.0295, 4);
  });

  it('is the same for the same seed', () => {
    expect(compareSides([sides(80, 0, 0.4)], OPTIONS)).toEqual(compareSides([sides(80, 0, 0.4)], OPTIONS));
    expect(compareSides([sides(80, 0, 0.4)], { ...OPTIONS, seed: 2 })).not.toEqual(compareSides([sides(80, 0, 0.4)], OPTIONS));
  });

  it('mirrors its figures when the sides are exchanged', () => {
    const scores = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })), {
      minLength: 1,
      maxLength: 60,
    });
    const compare = (before: readonly number[], after: readonly number[]) =>
      compareSides([{ measure: 'AP', before, after }], { ...OPTIONS, permutations: 1_000, resamples: 1_000 }).measures[0];
    fc.assert(
      fc.property(scores, (pairs) => {
        const [first, second] = [pairs.map(([value]) => value), pairs.map(([, value]) => value)];
        const [there, back] = [compare(first, second), compare(second, first)];
        expect(back?.p).toBe(there?.p);
        expect(back?.difference).toBeCloseTo(-(there?.difference ?? 0), 9);
        expect(back?.interval[0]).toBeCloseTo(-(there?.interval[1] ?? 0), 9);
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    [[], OPTIONS, 'measures: expected at least one'],
    [[sides(0, 0, 0)], OPTIONS, 'queries: expected at least one'],
    [[{ measure: 'AP', before: [1, 0], after: [1] }], OPTIONS, 'AP: expected 2 queries on both sides, got 2 and 1'],
    [[{ measure: 'AP', before: [1], after: [Number.NaN] }], OPTIONS, 'AP: expected values from 0 to 1, got NaN'],
    [[sides(1, 0, 0)], { ...OPTIONS, margin: 0 }, 'margin: expected a number above 0 and below 1, got 0'],
    [[sides(1, 0, 0)], { ...OPTIONS, level: 1 }, 'level: expected a number above 0 and below 1, got 1'],
    [[sides(1, 0, 0)], { ...OPTIONS, permutations: 10 }, 'permutations: expected a whole number from 1000, got 10'],
  ])('refuses what it cannot compare: %#', (given, options, message) => {
    expect(() => compareSides(given, options)).toThrow(message);
  });
});

describe('Several candidates', () => {
  const [good, bad] = [sides(100, 0, 0.1), sides(100, -0.05, 0.2)];

  it('have a comparison each, in their order, that of a single one unchanged', () => {
    expect(compareCandidates([[bad]], OPTIONS)).toEqual([compareSides([bad], OPTIONS)]);
    expect(compareCandidates([[good], [bad]], OPTIONS).map(({ verdict }) => verdict)).toEqual(['not worse', 'worse']);
    expect(compareCandidates([[bad], [good]], OPTIONS).map(({ verdict }) => verdict)).toEqual(['worse', 'not worse']);
  });

  it('share one correction over all measures and candidates; means, intervals and p are those of a single one', () => {
    const noisy = sides(100, -0.01, 0.5, 'RR@10');
    const [least, ...same] = compareCandidates([[noisy, bad], [bad]], OPTIONS).flatMap(({ measures }) => measures);
    const [alone] = compareSides([bad], OPTIONS).measures;
    if (!alone) throw new Error('expected a measure');
    expect(same).toHaveLength(2);
    for (const measure of same) {
      expect(measure).toMatchObject({ p: alone.p, interval: alone.interval, difference: alone.difference });
      expect(measure.adjustedP).toBeCloseTo(3 * alone.p, 12);
      expect(measure.smallestDetectableEffect).toBeGreaterThan(alone.smallestDetectableEffect);
    }
    expect(least?.adjustedP).toBe(least?.p);
  });

  it('are called worse in at most 5 % of all families in which none is, and in more without the correction', () => {
    const [families, options] = [600, { margin: 0.001, permutations: 1_000, resamples: 1_000 }];
    const random = new SeededRandom(11);
    const found = { corrected: 0, uncorrected: 0 };
    for (let seed = 0; seed < families; seed++) {
      // What is there and each candidate score a query by its difficulty and by noise of the same kind: exchangeable, so none is worse.
      const difficulty = Array.from({ length: 60 }, () => random.next() / 2);
      const scores = () => difficulty.map((value) => value + random.next() / 2);
      const before = [scores(), scores()];
      const candidates = Array.from({ length: 3 }, () =>
        before.map((values, at): MeasuredSides => ({ measure: `measure ${at}`, before: values, after: scores() })),
      );
      const compared = compareCandidates(candidates, { ...options, seed });
      if (compared.some(({ verdict }) => verdict === 'worse')) found.corrected++;
      if (compared.some(({ measures }) => measures.some(({ p, difference }) => difference < 0 && p <= 0.05))) found.uncorrected++;
    }
    const standardError = Math.sqrt((0.05 * 0.95) / families);
    expect(found.corrected / families).toBeLessThanOrEqual(0.05 + 2 * standardError);
    expect(found.uncorrected / families).toBeGreaterThan(0.05 + 2 * standardError);
  });

  it('are refused if there is none, if one has no measure, or other queries', () => {
    expect(() => compareCandidates([], OPTIONS)).toThrow('candidates: expected at least one');
    expect(() => compareCandidates([[good], []], OPTIONS)).toThrow('measures: expected at least one');
    expect(() => compareCandidates([[good], [sides(99, 0, 0)]], OPTIONS)).toThrow('expected 100 queries on both sides, got 99 and 99');
  });
});
