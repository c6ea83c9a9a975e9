import { Conflict, Forbidden, NotFound } from '../errors.ts';
import type { PlanAuthor, SwapPlanned } from '../events/plan-events.ts';
import type { Cutover, ScopeEvent } from '../events/scope-events.ts';
import { planId, planNumber, type PlanId } from '../values/plan-id.ts';
import type { Recipe } from '../values/recipe.ts';
import type { VectorScope } from '../values/scope.ts';
import type { GenerationId } from '../values/versions.ts';
import { isOtherSize, isSame, isSamePerson, otherTerms, tooOld, type ModelTerms } from './plan-checks.ts';

export type PlanFigures = Omit<SwapPlanned['data'], 'scope' | 'plan' | 'plannedAt'>;
/** The latest plan of a scope. `generations`: how many there were. `started`: the generation that was started by this plan. */
export type Plan = SwapPlanned['data'] &
  Readonly<{ generations: number; approved?: Readonly<{ at: string; by: PlanAuthor }>; started?: GenerationId }>;

export type RecordPlan = Readonly<{ type: 'RecordPlan'; scope: VectorScope; figures: PlanFigures; now: string }>;
export type ApprovePlan = Readonly<{ type: 'ApprovePlan'; scope: VectorScope; plan: PlanId; by: PlanAuthor; now: string }>;
/** The plan that a swap is to follow, with what is known of the model and of the scope now. */
export type PlannedStart = ModelTerms & Readonly<{ id: PlanId; chunks: number }>;

type Planned = Readonly<{ generations: readonly unknown[]; plan?: Plan }>;

export const recordPlan = ({ scope, figures, now }: RecordPlan, { plan }: Planned): readonly ScopeEvent[] => [
  { type: 'SwapPlanned', data: { ...figures, scope, plan: planId(`p${plan ? planNumber(plan.plan) + 1 : 1}`), plannedAt: now } },
];

/** @throws NotFound; Conflict if the plan was replaced or used; Forbidden to the person who made it */
export const approvePlan = ({ scope, plan: id, by, now }: ApprovePlan, state: Planned): readonly ScopeEvent[] => {
  const plan = latest(state, id, scope);
  if (plan.started) throw used(plan, scope);
  if (isSamePerson(plan.by, by)) throw new Forbidden(`plan ${id} of scope "${scope}" was made by you: another person has to approve it`);
  return plan.approved ? [] : [{ type: 'SwapPlanApproved', data: { scope, plan: id, approvedAt: now, by } }];
};

/** @throws NotFound, Conflict: why this plan cannot be started (any more) */
export const checkPlan = (
  state: Planned,
  start: PlannedStart,
  { scope, recipe, cutover, now }: Readonly<{ scope: VectorScope; recipe: Recipe; cutover: Cutover; now: string }>,
): void => {
  const plan = latest(state, start.id, scope);
  const refuse = (why: string): Conflict => new Conflict(`plan ${plan.plan} of scope "${scope}" ${why}: make a new plan`);
  if (plan.started) throw used(plan, scope);
  if (plan.generations !== state.generations.length) throw refuse('was made before another swap of the scope was started');
  const old = tooOld(plan.plannedAt, now);
  if (old !== undefined) throw refuse(old);
  const present = plan.rechunked?.present ?? plan.chunks;
  if (isOtherSize(present, start.chunks)) throw refuse(`was made when the scope had ${present} chunks; it has ${start.chunks} now`);
  const { version } = plan.recipe.embedding;
  if (!isSame(plan.recipe, recipe)) throw refuse(`was made for another description of the model ${version}`);
  const terms = otherTerms(plan, start, version);
  if (terms !== undefined) throw refuse(terms);
  if (plan.cutover !== cutover) throw refuse(`is for the cut-over "${plan.cutover}", not "${cutover}"`);
};

/** @throws Conflict if the installation requires an approved plan, and this start has none */
export const requireApproval = ({ plan }: Planned, start: PlannedStart | undefined, scope: VectorScope): void => {
  if (!start)
    throw new Conflict(
      `swaps of this installation need an approved plan: plan the swap of scope "${scope}", and let another person approve it`,
    );
  if (!plan?.approved) throw new Conflict(`plan ${start.id} of scope "${scope}" is not approved yet: another person has to approve it`);
};

/** @throws NotFound; Conflict if a later plan replaced it */
const latest = ({ plan }: Planned, id: PlanId, scope: VectorScope): Plan => {
  if (!plan || planNumber(id) > planNumber(plan.plan)) throw new NotFound(`plan of scope "${scope}"`, id);
  if (plan.plan !== id) throw new Conflict(`plan ${id} of scope "${scope}" was replaced by ${plan.plan}`);
  return plan;
};

const used = ({ plan, started }: Plan, scope: VectorScope): Conflict =>
  new Conflict(`plan ${plan} of scope "${scope}" was used already: it started generation ${started}`);
