import { quantile } from './quantile.ts';

describe('a quantile', () => {
  it('is the value at the nearest rank', () => {
    const values = [40, 10, 30, 20];
    expect([0, 0.25, 0.26, 0.5, 0.95, 1].map((share) => quantile(values, share))).toEqual([10, 10, 20, 20, 40, 40]);
    expect(values).toEqual([40, 10, 30, 20]);
  });

  it('does not exist without values', () => {
    expect(quantile([], 0.5)).toBeUndefined();
  });
});
