import { normalProbability } from './distributions.ts';

/**
 * One-sided rank-sum test of Mann and Whitney: the probability that values of one distribution would be as high as `values`, compared with
 * `others`. Normal approximation with the corrections for ties and continuity: from about 20 values on each side. It only uses the order,
 * so outliers (a slow query) have no weight of their own. 1 if a side is empty or all values are equal.
 */
export const rankSum = (values: readonly number[], others: readonly number[]): number => {
  const [n, m] = [values.length, others.length];
  if (n === 0 || m === 0) return 1;
  const all = [...values.map((value) => ({ value, mine: true })), ...others.map((value) => ({ value, mine: false }))];
  all.sort((a, b) => a.value - b.value);
  let ranks = 0;
  let ties = 0;
  for (let from = 0; from < all.length;) {
    let to = from;
    let mine = 0;
    while (to < all.length && all[to]?.value === all[from]?.value) mine += all[to++]?.mine === true ? 1 : 0;
    const equal = to - from;
    // Equal values share the mean of their ranks, from 1.
    ranks += mine * ((from + 1 + to) / 2);
    ties += equal ** 3 - equal;
    from = to;
  }
  const total = n + m;
  const variance = ((n * m) / 12) * (total + 1 - ties / (total * (total - 1)));
  if (!(variance > 0)) return 1;
  const above = ranks - (n * (n + 1)) / 2 - (n * m) / 2;
  return 1 - normalProbability((above - 0.5) / Math.sqrt(variance));
};
