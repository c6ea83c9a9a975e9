export { goldenSets, type GoldenSets, type GoldenSetsCommand, type GoldenVersion } from '../deciders/golden-sets.ts';
export type * from '../events/golden-events.ts';
export { goldenQueriesStream, goldenSetsStream } from '../streams.ts';
export { GOLDEN_LIMITS, goldenQueryId, goldenSetName, type GoldenSetName } from '../values/golden-set.ts';
