/**
 * How far the scores moved from one side to the other, rank by rank: the mean of `after - before` over the ranks that both have, in the unit
 * of the scores. Thresholds on scores have to move by about as much. `undefined` if one side returned nothing.
 * @param before scores of one query, best first
 * @param after scores of the same query on the other side, best first
 */
export const scoreShift = (before: readonly number[], after: readonly number[]): number | undefined => {
  const ranks = Math.min(before.length, after.length);
  if (ranks === 0) return undefined;
  let sum = 0;
  for (let rank = 0; rank < ranks; rank++) sum += (after[rank] ?? 0) - (before[rank] ?? 0);
  return sum / ranks;
};
