import { normalQuantile } from './distributions.ts';

/** How likely a test finds a difference that is really there, when its size is planned for. */
const POWER = 0.8;

/**
 * What a difference has to be, in standard errors of its mean, to be found with 80 % probability by a two-sided test: z(1 - level / 2) + z(.8),
 * 2.80 at a level of .05. The normal approximation of J. Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988; for retrieval
 * experiments W. Webber, A. Moffat and J. Zobel, "Statistical power in retrieval experimentation", CIKM 2008.
 */
const standardErrors = (level: number): number => normalQuantile(1 - level / 2) + normalQuantile(POWER);

/**
 * The smallest true difference that this number of queries shows with 80 % power: `standardErrors(level) · deviation / √queries`. At most 1,
 * since measures are from 0 to 1; 1 when the deviation is unknown, that is with fewer than 2 queries.
 * @param deviation standard deviation of the differences of single queries
 */
export const smallestDetectableEffect = (deviation: number, queries: number, level: number): number =>
  queries < 2 ? 1 : Math.min(1, (standardErrors(level) * deviation) / Math.sqrt(queries));

/** The number of queries that shows a difference of this size (above 0) with 80 % power: `(standardErrors(level) · deviation / effect)²`. */
export const queriesToDetect = (effect: number, deviation: number, level: number): number =>
  Math.ceil(((standardErrors(level) * deviation) / effect) ** 2);
