export type * from '../events/canary-events.ts';
export { runningCanary, type Canary, type CanaryCommand } from '../deciders/scope-canary.ts';
export { CANARY_BOUNDS, DEFAULT_CANARY_THRESHOLDS } from '../values/canary-thresholds.ts';
