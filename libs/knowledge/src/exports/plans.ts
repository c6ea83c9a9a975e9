export type * from '../events/plan-events.ts';
export type { Plan, PlanFigures, PlannedStart } from '../deciders/scope-plan.ts';
export type { IndexBytes } from '../ports/index-partition.ts';
export { planId, type PlanId } from '../values/plan-id.ts';
