/**
 * Adjusts the p values of several tests, so that the chance of one or more false alarms among all of them stays below the level that each
 * is compared with (S. Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statistics 6, 1979). Keeps the order.
 */
export const holm = (ps: readonly number[]): readonly number[] => {
  const adjusted = new Array<number>(ps.length).fill(0);
  let largest = 0;
  for (const [rank, at] of ps
    .map((_, index) => index)
    .sort((a, b) => (ps[a] ?? 0) - (ps[b] ?? 0))
    .entries()) {
    largest = Math.max(largest, Math.min(1, (ps[at] ?? 0) * (ps.length - rank)));
    adjusted[at] = largest;
  }
  return adjusted;
};
