import type { CanaryThresholds } from '../events/canary-events.ts';

/** What an owner may set, from and to. */
export const CANARY_BOUNDS = {
  emptyShare: [0, 1],
  slowdown: [1, 100],
  scoreDrop: [0, 1],
  agreementDrop: [0, 1],
} as const satisfies Readonly<Record<keyof CanaryThresholds, readonly [from: number, to: number]>>;

/** Wide, since two models legitimately differ: what callers notice, not what is statistically visible. */
export const DEFAULT_CANARY_THRESHOLDS: CanaryThresholds = { emptyShare: 0.05, slowdown: 1.5, scoreDrop: 0.5, agreementDrop: 0.5 };
