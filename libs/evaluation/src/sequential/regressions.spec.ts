import { SeededRandom } from '@palimpsest/foundation';
import { isLook, LOOK_EVERY, regressions, WINDOW, type Observation, type Tolerances } from './regressions.ts';

const TOLERANCES: Tolerances = { emptyShare: 0.05, slowdown: 1.5, scoreDrop: 0.5, agreementDrop: 0.5 };
type Random = () => number;
const randomOf = (seed: number): Random => {
  const random = new SeededRandom(seed);
  return () => random.next();
};
const normal = (random: Random): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
/** Latencies with a long tail, 4 % empty answers, agreements in tenths. */
const healthy = (random: Random): Observation => ({
  empty: random() < 0.04,
  latency: 20 * Math.exp(0.6 * normal(random)),
  score: Math.max(0, 3 + 0.8 * normal(random)),
  agreement: Math.round(10 * Math.min(1, Math.max(0, 0.5 + 0.25 * normal(random)))) / 10,
});
type Fault = (one: Observation, random: Random) => Observation;

/** After how many queries of the tried side a regression was found, if it was; 1 of 4 queries is one of them. */
const foundAfter = (seed: number, queries: number, fault: Fault = (one) => one, from = 0): number | undefined => {
  const random = randomOf(seed);
  const tried: Observation[] = [];
  const baseline: Observation[] = [];
  while (tried.length < queries) {
    if (random() < 0.75) {
      baseline.push(healthy(random));
      continue;
    }
    const one = healthy(random);
    tried.push(tried.length >= from ? fault(one, random) : one);
    const look = tried.length / LOOK_EVERY;
    if (isLook(tried.length) && regressions(tried, baseline, TOLERANCES, look).length > 0) return tried.length;
  }
  return undefined;
};
const SEEDS = Array.from({ length: 200 }, (_, seed) => seed + 1);
const sharesOf = (fault?: Fault, queries = 200, from = 0): number =>
  SEEDS.filter((seed) => foundAfter(seed, queries, fault, from) !== undefined).length / SEEDS.length;

describe('the sequential comparison', () => {
  it('finds no regression in A against A in more than 5 % of 200 runs of 600 queries', () => {
    expect(sharesOf(undefined, 600)).toBeLessThanOrEqual(0.05);
  });

  it('keeps its error rate exactly at the tolerance, where it is largest', () => {
    const atTolerance: Fault = (one) => ({ ...one, latency: (one.latency ?? 0) * 1.5 });
    expect(sharesOf(atTolerance, 400)).toBeLessThanOrEqual(0.05);
  });

  it.each<[string, Fault]>([
    ['a third of the answers empty', (one, random) => ({ ...one, empty: one.empty || random() < 0.33 })],
    ['three times as slow', (one) => ({ ...one, latency: (one.latency ?? 0) * 3 })],
    ['best results that hardly stand out', (one) => ({ ...one, score: (one.score ?? 0) * 0.2 })],
    ['vectors that no longer agree with words', (one, random) => ({ ...one, agreement: random() < 0.8 ? 0 : 0.1 })],
  ])('finds %s within 200 queries in at least 95 %% of 200 runs', (_, fault) => {
    expect(sharesOf(fault)).toBeGreaterThanOrEqual(0.95);
  });

  it('finds a regression that begins late within 200 queries as well', () => {
    const slow: Fault = (one) => ({ ...one, latency: (one.latency ?? 0) * 3 });
    expect(sharesOf(slow, 700, 500)).toBeGreaterThanOrEqual(0.95);
  });

  it('names the measure, with both sides and the level', () => {
    const random = randomOf(5);
    const baseline = Array.from({ length: 500 }, () => healthy(random));
    const tried = Array.from({ length: WINDOW }, () => ({ ...healthy(random), empty: true }));
    expect(regressions(tried, baseline, TOLERANCES, 4)).toEqual([
      { measure: 'empty', tried: 1, baseline: expect.closeTo(0.04, 1), p: expect.closeTo(0, 9), level: 0.05 / 4 / 20 },
    ]);
  });

  it('says nothing before there is enough on both sides, or where a measure is missing', () => {
    const random = randomOf(6);
    const some = (count: number, empty = false) => Array.from({ length: count }, () => ({ ...healthy(random), empty }));
    expect(regressions(some(LOOK_EVERY - 1, true), some(500), TOLERANCES, 1)).toEqual([]);
    expect(regressions(some(LOOK_EVERY, true), some(24), TOLERANCES, 1)).toEqual([]);
    const bare = Array.from({ length: 100 }, () => ({ empty: false }));
    expect(regressions(bare, some(500), TOLERANCES, 1)).toEqual([]);
  });
});
