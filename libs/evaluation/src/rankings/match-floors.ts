/** `after`: the floor on the other side that keeps the same share of results as `before` keeps on this one. */
export type MatchedFloor = Readonly<{ before: number; after: number; share: number }>;

/** Floors of cosines that are worth a row: callers rarely choose finer ones. */
const STEP = 0.05;
const ROUNDING = 1_000;

/**
 * For each floor of scores in steps of .05, the floor that keeps the same share of results on the other side: quantiles of both
 * distributions are matched, since the scores of two models have no common unit. Floors that keep all or no results are left out.
 * @param before scores of the results of all queries, in any order
 * @param after scores of the same queries on the other side
 */
export const matchFloors = (before: readonly number[], after: readonly number[]): readonly MatchedFloor[] => {
  const best = after.toSorted((a, b) => b - a);
  return Array.from({ length: Math.round(2 / STEP) + 1 }, (_, i) => Math.round((i * STEP - 1) * 100) / 100).flatMap((floor) => {
    const kept = before.filter((score) => score >= floor).length;
    if (kept === 0 || kept === before.length) return [];
    const share = kept / before.length;
    const last = best[Math.round(share * best.length) - 1];
    // Rounded down, so that the last result is kept.
    return last === undefined ? [] : [{ before: floor, after: Math.floor(last * ROUNDING) / ROUNDING, share }];
  });
};
