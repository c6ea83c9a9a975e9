export type * from '../events/evaluation-events.ts';
export { awaitsEvaluation, evaluable, type Evaluation, type EvaluationResult } from '../deciders/scope-evaluation.ts';
export { CUTOVERS, type QueryWindow } from '../events/cutover.ts';
