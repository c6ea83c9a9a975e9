/**
 * `after`: the floor on the other side that keeps the same share of results as `before` keeps on this one. `results`: how many results the
 * rarer outcome has, kept or left out. The fewer, the more the matched floor depends on single results.
 */
export type MatchedFloor = Readonly<{ before: number; after: number; share: number; results: number }>;

/** Floors of cosines that are worth a row: callers rarely choose finer ones. */
const STEP = 0.05;
const ROUNDING = 1_000;
/** With fewer results on one side of a floor, single results would decide where the matched floor is. */
const MIN_RESULTS = 10;

/**
 * For each floor of scores in steps of .05, the floor that keeps the same share of results on the other side: quantiles of both
 * distributions are matched, since the scores of two models have no common unit. Floors that keep or leave out fewer than `MIN_RESULTS`
 * results on either side are left out.
 * @param before scores of the results of all queries, in any order
 * @param after scores of the same queries on the other side
 */
export const matchFloors = (before: readonly number[], after: readonly number[]): readonly MatchedFloor[] => {
  const best = after.toSorted((a, b) => b - a);
  return Array.from({ length: Math.round(2 / STEP) + 1 }, (_, i) => Math.round((i * STEP - 1) * 100) / 100).flatMap((floor) => {
    const kept = before.filter((score) => score >= floor).length;
    const share = kept / before.length;
    const keptAfter = Math.round(share * best.length);
    const last = best[keptAfter - 1];
    const results = Math.min(kept, before.length - kept);
    if (last === undefined || Math.min(results, keptAfter, best.length - keptAfter) < MIN_RESULTS) return [];
    // Rounded down, so that the last result is kept.
    return [{ before: floor, after: Math.floor(last * ROUNDING) / ROUNDING, share, results }];
  });
};
