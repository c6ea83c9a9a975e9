import { describeMeans } from './describe-means.ts';

describe('Means with their deviation and interval', () => {
  it('describes each measure', () => {
    const values = Array.from({ length: 200 }, (_, at) => (at % 4 === 0 ? 1 : 0));
    const { mixed, same } = describeMeans({ mixed: values, same: values.map(() => 0.5) }, { seed: 1 });
    expect(mixed.mean).toBe(0.25);
    // √(200 / 199 · ¼ · ¾)
    expect(mixed.deviation).toBeCloseTo(0.434099, 6);
    // 0.25 ± 1.97 · 0.4341 / √200, within a percentage point, since the bootstrap draws.
    expect(Math.abs(mixed.interval[0] - 0.1895)).toBeLessThan(0.01);
    expect(Math.abs(mixed.interval[1] - 0.3105)).toBeLessThan(0.01);
    expect(same).toEqual({ mean: 0.5, deviation: 0, interval: [0.5, 0.5] });
    expect(describeMeans({ mixed: values }, { seed: 1 }).mixed).toEqual(mixed);
  });

  it('knows nothing from one query, and refuses none', () => {
    expect(describeMeans({ one: [0.4] }, { seed: 1 }).one).toEqual({ mean: 0.4, deviation: 0, interval: [0, 1] });
    expect(() => describeMeans({ none: [] }, { seed: 1 })).toThrow('queries: expected at least one');
    expect(() => describeMeans({ one: [0], two: [0, 1] }, { seed: 1 })).toThrow('two: expected 1 queries, got 2');
  });
});
