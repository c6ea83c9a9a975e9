/** The value at a share of the sorted values, by the nearest rank: always one of them. `undefined` without values. */
export const quantile = (values: readonly number[], share: number): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * values.length) - 1)];
