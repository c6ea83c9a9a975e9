import { matchFloors } from './match-floors.ts';

const uniform = (count: number, from: number, to: number) =>
  Array.from({ length: count }, (_, i) => from + ((i + 0.5) / count) * (to - from));

describe('matched floors', () => {
  it('keep the same share of results on the other side', () => {
    const [before, after] = [uniform(1_000, 0, 0.5), uniform(500, 0.6, 0.9)];
    const floors = matchFloors(before, after);
    expect(floors.map(({ before: floor }) => floor)).toEqual([0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45]);
    for (const { before: floor, after: matched, share } of floors) {
      const kept = (scores: readonly number[], least: number) => scores.filter((score) => score >= least).length / scores.length;
      expect(share).toBeCloseTo(kept(before, floor), 12);
      expect(Math.abs(kept(after, matched) - share)).toBeLessThan(0.005);
      // Both distributions are uniform, so the floors are on a line.
      expect(matched).toBeCloseTo(0.6 + (floor / 0.5) * 0.3, 2);
    }
  });

  it('are the same if the scores are, with negative ones', () => {
    const scores = uniform(2_000, -0.2, 0.3);
    for (const { before, after } of matchFloors(scores, scores)) expect(Math.abs(after - before)).toBeLessThanOrEqual(0.001);
    expect(matchFloors(scores, scores).map(({ before }) => before)).toContain(-0.15);
  });

  it('do not exist where all results or none are kept', () => {
    expect(matchFloors(uniform(100, 0.51, 0.54), uniform(100, 0.3, 0.4))).toEqual([]);
    expect(matchFloors([], uniform(100, 0, 1))).toEqual([]);
    expect(matchFloors(uniform(100, 0, 1), [])).toEqual([]);
  });

  it('say how many results they rest on, and do not exist with fewer than ten on one side', () => {
    const floors = matchFloors(uniform(100, 0, 1), uniform(100, 0, 1));
    expect(floors.map(({ before, results }) => [before, results])).toEqual(
      Array.from({ length: 17 }, (_, i) => [Math.round((0.1 + 0.05 * i) * 100) / 100, Math.min(10 + 5 * i, 90 - 5 * i)]),
    );
    const few = [...Array.from({ length: 9 }, () => 0.9), ...Array.from({ length: 91 }, () => 0.1)];
    expect(matchFloors(few, uniform(100, 0, 1))).toEqual([]);
    expect(matchFloors(uniform(100, 0, 1), uniform(15, 0, 1))).toEqual([]);
    expect(matchFloors([0.9, ...few.slice(0, -1)], uniform(100, 0, 1)).map(({ results }) => results)).toContain(10);
  });
});
