import type { Ranking } from '../measures/judgements.ts';

/** Webber et al.: with .9 the first 10 ranks carry 86 % of the weight. */
const DEFAULT_PERSISTENCE = 0.9;

/**
 * Rank-biased overlap, extrapolated (RBO_EXT): equation 32 of Webber, Moffat and Zobel, "A similarity measure for indefinite rankings",
 * ACM TOIS 28(4), 2010, which also covers rankings of different lengths. From 0 (nothing in common) to 1 (the same ranking). What lies
 * beyond the ends is assumed to agree as much as what was seen.
 *
 * With lengths s ≤ l, and X_d the number of documents that both have among their first d:
 *
 *   (1 - p) / p · ( Σ_{d=1..l} X_d / d · p^d  +  Σ_{d=s+1..l} X_s · (d - s) / (s · d) · p^d )  +  ( (X_l - X_s) / l + X_s / s ) · p^l
 *
 * @param persistence p: how likely a reader is to go on to the next rank, between 0 and 1. Smaller values give the top more weight.
 * Two empty rankings are the same (1); an empty one has nothing in common with another (0).
 * @throws RangeError if `persistence` is not between 0 and 1
 */
export const rankBiasedOverlap = (a: Ranking, b: Ranking, persistence = DEFAULT_PERSISTENCE): number => {
  if (!(persistence > 0 && persistence < 1)) throw new RangeError(`persistence ${persistence}: expected a number between 0 and 1`);
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short.length === 0) return long.length === 0 ? 1 : 0;

  const seen = new Set<string>();
  const meet = (id: string | undefined): number => {
    if (id === undefined) return 0;
    if (seen.has(id)) return 1;
    seen.add(id);
    return 0;
  };
  let common = 0;
  let commonAtShort = 0;
  let weight = 1;
  let sum = 0;
  for (let depth = 1; depth <= long.length; depth++) {
    common += meet(long[depth - 1]) + meet(short[depth - 1]);
    weight *= persistence;
    if (depth === short.length) commonAtShort = common;
    sum += (common / depth) * weight;
    if (depth > short.length) sum += ((commonAtShort * (depth - short.length)) / (short.length * depth)) * weight;
  }
  const beyond = (common - commonAtShort) / long.length + commonAtShort / short.length;
  return ((1 - persistence) / persistence) * sum + beyond * weight;
};
