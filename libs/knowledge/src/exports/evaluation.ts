export type * from '../events/evaluation-events.ts';
export type * from '../events/strategy-events.ts';
export { DEFAULT_IN_USE, nameOf, sameStrategy, strategyInUse } from '../deciders/knowledge-base-strategy.ts';
export { awaitsEvaluation, evaluable, type Evaluation, type EvaluationResult } from '../deciders/scope-evaluation.ts';
export { CUTOVERS, type QueryWindow } from '../events/cutover.ts';
