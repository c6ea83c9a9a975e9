import { SeededRandom } from '@palimpsest/foundation';
import { golden } from '../../test/golden.ts';
import { bootstrapIntervals } from './bootstrap.ts';
import { normalProbability, normalQuantile, tQuantile } from './distributions.ts';
import { holm } from './holm.ts';
import { queriesToDetect, smallestDetectableEffect } from './power.ts';
import { randomisationTest } from './randomisation-test.ts';
import { rankSum } from './rank-sum.ts';
import { shareAbove } from './share-above.ts';

type Tested = readonly Readonly<{ differences: readonly number[]; p: number }>[];
const expected = golden('statistics') as Readonly<{
  exact: Tested;
  larger: Tested;
  holm: readonly Readonly<{ ps: readonly number[]; adjusted: readonly number[] }>[];
  normal: readonly (readonly [probability: number, z: number])[];
  t: readonly (readonly [probability: number, degrees: number, t: number])[];
}>;
const pOf = (differences: readonly number[], permutations = 10_000): number =>
  randomisationTest([Float64Array.from(differences)], { permutations, random: new SeededRandom(1) })[0] ?? Number.NaN;

describe('The paired randomisation test', () => {
  it('has the p value of scipy, exactly, where all sign patterns are counted (2 to 13 queries)', () => {
    expect(expected.exact).toHaveLength(40);
    for (const { differences, p } of expected.exact) expect(pOf(differences)).toBeCloseTo(p, 12);
  });

  it('has nearly the p value of all 2 ** 18 sign patterns where it draws them', () => {
    // Four standard deviations of a share of 100,000 draws.
    for (const { differences, p } of expected.larger)
      expect(Math.abs(pOf(differences, 100_000) - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / 100_000) + 1e-5);
  });

  it('has the p value of the sign test when all differences have one size', () => {
    // 30 of 40 queries improve: 2 · P(X ≥ 30) with X ~ B(40, 1/2) is .002221, calculated with scipy.stats.binomtest.
    const p = pOf([...new Array<number>(30).fill(1), ...new Array<number>(10).fill(-1)], 100_000);
    expect(Math.abs(p - 0.002221)).toBeLessThan(0.0006);
  });

  it('is 1 without any difference, never 0, and the same for the same seed', () => {
    const alike = new Array<number>(200).fill(0.5);
    expect([pOf(new Array<number>(100).fill(0)), pOf(alike)]).toEqual([1, 1 / 10_001]);
    const mixed = alike.map((value, at) => (at % 3 === 0 ? -value : value / 3));
    expect(pOf(mixed)).toBe(pOf(mixed));
  });

  it('tests each measure as it would alone', () => {
    const columns = [Float64Array.of(0.1, 0.2, -0.3, 0.4), Float64Array.of(1, 1, 1, 1)];
    // 10 and 2 of the 16 sign patterns, counted by hand
    expect(randomisationTest(columns, { permutations: 1_000, random: new SeededRandom(1) })).toEqual([0.625, 0.125]);
  });
});

describe('Holm’s correction', () => {
  it('is that of statsmodels', () => {
    for (const { ps, adjusted } of expected.holm) for (const [at, p] of holm(ps).entries()) expect(p).toBeCloseTo(adjusted[at] ?? 2, 12);
  });
});

describe('Distributions', () => {
  it('have the quantiles of scipy', () => {
    for (const [probability, z] of expected.normal) expect(normalQuantile(probability)).toBeCloseTo(z, 10);
    for (const [probability, degrees, t] of expected.t) expect(tQuantile(probability, degrees) / (t || 1)).toBeCloseTo(t === 0 ? 0 : 1, 9);
    expect([normalProbability(-40), normalProbability(40), normalProbability(0)]).toEqual([0, 1, 0.5]);
  });
});

describe('Bootstrap intervals', () => {
  const intervals = (columns: readonly Float64Array[]) =>
    bootstrapIntervals(columns, { resamples: 10_000, level: 0.05, random: new SeededRandom(1) });

  it('are those of a t test where the differences are spread evenly', () => {
    const column = Float64Array.from({ length: 101 }, (_, at) => (at - 50) / 100 + 0.1);
    // mean ± t(.975, 100) · deviation / √101 = .1 ± 1.98397 · .293002 / 10.04988
    const [[low, high] = [0, 0]] = intervals([column]);
    expect([low, high].map((limit) => Number(limit.toFixed(2)))).toEqual([0.04, 0.16]);
    expect((high - low) / 2).toBeCloseTo(0.0578, 2);
  });

  it('draw the same queries for all measures', () => {
    const column = Float64Array.from({ length: 60 }, (_, at) => Math.sin(at) / 2);
    const [first, second] = intervals([column, column.map((value) => -value)]);
    expect(second?.[0]).toBeCloseTo(-(first?.[1] ?? 0), 12);
  });

  it('know nothing of a single query', () => {
    expect(intervals([Float64Array.of(0.3)])).toEqual([[-1, 1]]);
  });
});

describe('The smallest detectable effect', () => {
  it('is 2.80 standard errors at 5 %, and the number of queries is its inverse', () => {
    // (1.959964 + .841621) · .2 / √100
    expect(smallestDetectableEffect(0.2, 100, 0.05)).toBeCloseTo(0.0560317, 6);
    expect(queriesToDetect(0.056032, 0.2, 0.05)).toBe(100);
    expect([smallestDetectableEffect(0.2, 1, 0.05), smallestDetectableEffect(1, 2, 0.05)]).toEqual([1, 1]);
  });
});

describe('The rank-sum test', () => {
  it('has the probabilities of the normal approximation, with corrections for ties and continuity', () => {
    // U = 9 of 9, mean 4.5, variance 5.25: z = (9 - 4.5 - .5) / 2.2913
    expect(rankSum([4, 5, 6], [1, 2, 3])).toBeCloseTo(0.040428, 6);
    // U = 8.5, mean 4.5; three ties of 2: variance 9 / 12 · (7 - 18 / 30) = 4.8; z = 3.5 / 2.1909
    expect(rankSum([3, 3, 2], [2, 1, 1])).toBeCloseTo(0.05507, 5);
    expect(rankSum([1, 2, 3], [4, 5, 6])).toBeGreaterThan(0.95);
  });
  it('says nothing without values, or if all are equal', () => {
    expect([rankSum([], [1]), rankSum([1], []), rankSum([1, 1], [1, 1, 1])]).toEqual([1, 1, 1]);
  });
});

describe('The test of two shares', () => {
  it('counts one success and one failure more on each side', () => {
    // (11 / 22 - 6 / 102 - .05) / √(.25 / 22 + .055363 / 102)
    expect(shareAbove({ of: 20, count: 10 }, { of: 100, count: 5 }, 0.05)).toBeCloseTo(0.000169, 5);
    expect(shareAbove({ of: 20, count: 0 }, { of: 100, count: 0 }, 0)).toBeGreaterThan(0.05);
  });
  it('says nothing without queries', () => {
    expect([shareAbove({ of: 0, count: 0 }, { of: 9, count: 1 }, 0), shareAbove({ of: 9, count: 9 }, { of: 0, count: 0 }, 0)]).toEqual([
      1, 1,
    ]);
  });
});
