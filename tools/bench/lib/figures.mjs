/** Simple statistics of measurements, shared by the platform's benchmarks. */

/** The quantile `q` (0 to 1) of the values. */
export const quantile = (values, q) => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))];
export const median = (values) => quantile(values, 0.5);

/** `p50 1.2 ms, p95 3.4 ms` */
export const p50p95 = (ms) => `p50 ${quantile(ms, 0.5).toFixed(1)} ms, p95 ${quantile(ms, 0.95).toFixed(1)} ms`;

/** The result of `work`, and its wall time in ms. */
export const timed = async (work) => {
  const began = performance.now();
  const result = await work();
  return { result, ms: performance.now() - began };
};

/** Numbers from 0 to 1, the same in every run (mulberry32). */
export const seededRandom = (seed) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
