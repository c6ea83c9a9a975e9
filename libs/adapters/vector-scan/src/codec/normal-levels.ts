const ROUNDS = 1000;
/** They cost milliseconds. */
const computed = new Map<number, Float64Array>();

/**
 * The 2 ** bits levels, ascending, that represent a normal variable (mean 0, variance 1) with the least mean squared error: each is the
 * mean of the values that are nearest to it (S. P. Lloyd, "Least squares quantization in PCM", 1957 and 1982; J. Max, "Quantizing for
 * minimum distortion", 1960, which has tables). They start where the best density of many levels places them (P. F. Panter and
 * W. Dite, 1951), and are then improved as Lloyd describes.
 *
 * It uses no function of `Math` but those that round exactly. The others may differ in the last bit between two versions of an engine, and
 * codes that are stored must decode to the same bits in all of them.
 */
export const normalLevels = (bits: number): Float64Array => {
  const levels = computed.get(bits) ?? levelsOf(bits);
  computed.set(bits, levels);
  return levels;
};

const levelsOf = (bits: number): Float64Array => {
  const half = 2 ** bits / 2;
  // They are symmetric, so only the positive ones are computed.
  const levels = Float64Array.from({ length: half }, (_, i) => Math.sqrt(3) * quantileAbove((i + 0.5) / (2 * half)));
  for (let round = 0; round < ROUNDS; round++) improve(levels);
  return Float64Array.from({ length: 2 * half }, (_, i) => (i < half ? -(levels[half - 1 - i] ?? 0) : (levels[i - half] ?? 0)));
};

/** The borders between the levels: a value belongs to the level i if it is above i borders. */
export const bordersOf = (levels: Float64Array): Float64Array =>
  Float64Array.from({ length: levels.length - 1 }, (_, i) => ((levels[i] ?? 0) + (levels[i + 1] ?? 0)) / 2);

/** Moves each level to the mean of its cell, and its borders with it. */
const improve = (levels: Float64Array): void => {
  let [density, mass] = [densityAt(0), 0];
  for (let i = 0; i < levels.length; i++) {
    const [level, next] = [levels[i] ?? 0, levels[i + 1]];
    const border = next === undefined ? Infinity : (level + next) / 2;
    const [densityThere, massThere] = [densityAt(border), massBelow(border)];
    levels[i] = (density - densityThere) / (massThere - mass);
    [density, mass] = [densityThere, massThere];
  }
};

const densityAt = (x: number): number => (x === Infinity ? 0 : expOfMinus((x * x) / 2) / Math.sqrt(2 * Math.PI));

/** e ** -x for x from 0 to 100: by its series for x / 2 ** 12, which is then squared twelve times. */
const expOfMinus = (x: number): number => {
  const part = x / 4096;
  let power = 1 - part * (1 - (part / 2) * (1 - (part / 3) * (1 - (part / 4) * (1 - part / 5))));
  for (let i = 0; i < 12; i++) power *= power;
  return power;
};

/** The probability of values from 0 to x (the series of G. Marsaglia, "Evaluating the normal distribution", 2004). */
const massBelow = (x: number): number => {
  if (x === Infinity) return 0.5;
  let [sum, term] = [x, x];
  for (let i = 3; term > sum * 1e-17; i += 2) {
    term *= (x * x) / i;
    sum += term;
  }
  return sum * densityAt(x);
};

/** The x whose probability of values from 0 to x is `mass`, by bisection. */
const quantileAbove = (mass: number): number => {
  let [low, high] = [0, 10];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (massBelow(middle) < mass) low = middle;
    else high = middle;
  }
  return low;
};
