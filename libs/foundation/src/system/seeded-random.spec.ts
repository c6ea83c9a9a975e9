import { SeededRandom } from './seeded-random.ts';

describe('Seeded random numbers', () => {
  it('are those of the published Mulberry32, and depend only on the seed', () => {
    // The first numbers of the reference implementation (github.com/bryc/code, PRNGs.md) for seed 1.
    const random = new SeededRandom(1);
    expect([random.uint32(), random.uint32(), random.uint32()]).toEqual([2693262067, 11749833, 2265367787]);
    expect(new SeededRandom(2 ** 32 + 1).next()).toBe(2693262067 / 2 ** 32);
  });
});
