import { normalProbability } from './distributions.ts';

export type Share = Readonly<{ of: number; count: number }>;

/**
 * The probability that a share would be as high as `share` if the true one were that of `other` plus `margin`. Wald's test with one success
 * and one failure added to each side (Agresti and Caffo 2000), which keeps its level with few and with rare successes.
 */
export const shareAbove = (share: Share, other: Share, margin: number): number => {
  if (share.of === 0 || other.of === 0) return 1;
  const [here, there] = [adjusted(share), adjusted(other)];
  const deviation = Math.sqrt(here.variance + there.variance);
  return 1 - normalProbability((here.p - there.p - margin) / deviation);
};

const adjusted = ({ of, count }: Share) => {
  const p = (count + 1) / (of + 2);
  return { p, variance: (p * (1 - p)) / (of + 2) };
};
