import { bordersOf, normalLevels } from './normal-levels.ts';

/** J. Max, "Quantizing for minimum distortion" (1960), table I: the positive levels and the mean squared error, by bits. */
const MAX_1960: Readonly<Record<number, Readonly<{ levels: readonly number[]; error: number }>>> = {
  1: { levels: [0.798], error: 0.3634 },
  2: { levels: [0.4528, 1.51], error: 0.1175 },
  3: { levels: [0.2451, 0.756, 1.344, 2.152], error: 0.03454 },
  4: { levels: [0.1284, 0.3881, 0.6568, 0.9424, 1.256, 1.618, 2.069, 2.733], error: 0.009497 },
};

/** By the trapezium rule from -8 to 8. */
const meanSquaredError = (levels: Float64Array): number => {
  const borders = bordersOf(levels);
  let [sum, level] = [0, 0];
  for (let i = 0; i <= 160_000; i++) {
    const x = -8 + i / 10_000;
    while (x > (borders[level] ?? Infinity)) level++;
    sum += ((x - (levels[level] ?? 0)) ** 2 * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI) / 10_000;
  }
  return sum;
};

describe('the levels of a normal variable', () => {
  it.each([1, 2, 3, 4])('are those of the published table: %i bits', (bits) => {
    const levels = normalLevels(bits);
    const published = MAX_1960[bits];
    expect(levels).toHaveLength(2 ** bits);
    published?.levels.forEach((level, i) => expect(levels[2 ** (bits - 1) + i]).toBeCloseTo(level, level > 1 ? 2.5 : 3.3));
    expect(meanSquaredError(levels)).toBeCloseTo(published?.error ?? 0, 4);
  });

  it.each([5, 6, 7, 8])('have almost the error of the best possible density of levels: %i bits', (bits) => {
    const levels = normalLevels(bits);
    // Panter and Dite's limit for many levels; the exact least error is below it and approaches it.
    const limit = (Math.sqrt(3) * Math.PI) / 2 / 4 ** bits;
    expect(meanSquaredError(levels) / limit).toBeGreaterThan(0.93);
    expect(meanSquaredError(levels) / limit).toBeLessThan(1);
  });

  it('are the same bits in every engine', () => {
    const levels = [1, 4, 8].map((bits) => normalLevels(bits));
    expect(levels.map((of) => [of[0], of.at(-1)])).toMatchInlineSnapshot(`
      [
        [
          -0.7978845608028654,
          0.7978845608028654,
        ],
        [
          -2.7325895709846417,
          2.7325895709846417,
        ],
        [
          -4.6118301210494685,
          4.6118301210494685,
        ],
      ]
    `);
  });

  it('ascend, and are symmetric', () => {
    for (let bits = 1; bits <= 8; bits++) {
      const levels = normalLevels(bits);
      expect([...levels].sort((a, b) => a - b)).toEqual([...levels]);
      expect([...levels].map((level) => -level).reverse()).toEqual([...levels]);
    }
  });
});
