/** Probabilities and quantiles of the normal distribution and of Student's t distribution, exact to about 1e-12. */

/** The probability of a value up to `z`. The series of G. Marsaglia, "Evaluating the normal distribution", J. Stat. Software 11(4), 2004. */
export const normalProbability = (z: number): number => {
  if (Math.abs(z) > 8) return z > 0 ? 1 : 0;
  let term = z;
  let sum = z;
  for (let odd = 3; Math.abs(term) > 1e-17 * Math.abs(sum); odd += 2) {
    term *= (z * z) / odd;
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
};

/** The value that a standard normal variable stays below with this probability (between 0 and 1). */
export const normalQuantile = (probability: number): number => solve(normalProbability, probability, 8);

/**
 * The probability of a value up to `t`, for a whole number of degrees of freedom: the finite series 26.7.3 and 26.7.4 of Abramowitz and
 * Stegun, Handbook of Mathematical Functions.
 */
const tProbability = (t: number, degrees: number): number => {
  const angle = Math.atan(t / Math.sqrt(degrees));
  const cosine = Math.cos(angle);
  const isOdd = degrees % 2 === 1;
  let sum = 0;
  let term = isOdd ? cosine : 1;
  for (let at = isOdd ? 1 : 0; at <= degrees - 2; at += 2) {
    sum += term;
    term *= (cosine * cosine * (at + 1)) / (at + 2);
  }
  const within = isOdd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
  return (1 + within) / 2;
};

/** The value that a t-distributed variable stays below with this probability (between 0 and 1). */
export const tQuantile = (probability: number, degrees: number): number => solve((t) => tProbability(t, degrees), probability, 2 ** 20);

/** Where an increasing function between `-bound` and `bound` reaches the value: by bisection. */
const solve = (increasing: (x: number) => number, value: number, bound: number): number => {
  let low = -bound;
  let high = bound;
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (increasing(middle) < value) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
};
