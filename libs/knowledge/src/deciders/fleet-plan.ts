import { Conflict, Forbidden, NotFound } from '../errors.ts';
import type { FleetEvent, FleetPlan, FleetPlanned } from '../events/fleet-events.ts';
import type { PlanAuthor } from '../events/plan-events.ts';
import type { FleetId } from '../values/fleet.ts';
import type { EmbeddingRecipe } from '../values/recipe.ts';
import { isOtherSize, isSame, isSamePerson, otherTerms, tooOld, type ModelTerms } from './plan-checks.ts';

export type FleetPlanFigures = Omit<FleetPlanned['data'], 'fleet' | 'plan' | 'plannedAt'>;
export type PlannedFleet = FleetPlanned['data'] & Readonly<{ approved?: Readonly<{ at: string; by: PlanAuthor }> }>;

export type PlanFleet = Readonly<{ type: 'PlanFleet'; fleet: FleetId; plan: FleetPlan; figures: FleetPlanFigures; now: string }>;
export type ApproveFleetPlan = Readonly<{ type: 'ApproveFleetPlan'; fleet: FleetId; by: PlanAuthor; now: string }>;
/** What is known of the model and of the scopes when a planned fleet is started. */
export type PlannedFleetStart = ModelTerms & Readonly<{ embedding: EmbeddingRecipe; chunksOfAll: number }>;

type Planned = Readonly<{ planned?: PlannedFleet; started?: unknown }>;

export const planFleet = ({ fleet, plan, figures, now }: PlanFleet, { planned, started }: Planned): readonly FleetEvent[] => {
  if (planned || started) throw new Conflict(`fleet ${fleet} exists already`);
  return [{ type: 'FleetPlanned', data: { fleet, plan, ...figures, plannedAt: now } }];
};

/** @throws NotFound; Conflict if the plan was used; Forbidden to the person who made it */
export const approveFleetPlan = ({ fleet, by, now }: ApproveFleetPlan, state: Planned): readonly FleetEvent[] => {
  const planned = plannedOf(state, fleet);
  if (state.started) throw used(fleet);
  if (isSamePerson(planned.by, by)) throw new Forbidden(`plan ${fleet} was made by you: another person has to approve it`);
  return planned.approved ? [] : [{ type: 'FleetPlanApproved', data: { fleet, approvedAt: now, by } }];
};

/** @throws NotFound, Conflict: why this plan cannot be started (any more) */
export const checkFleetPlan = (
  state: Planned,
  start: PlannedFleetStart,
  { fleet, plan, now }: Readonly<{ fleet: FleetId; plan: FleetPlan; now: string }>,
): void => {
  const planned = plannedOf(state, fleet);
  const { version } = planned.embedding;
  const refuse = (why: string): Conflict => new Conflict(`plan ${fleet} ${why}: make a new plan`);
  const old = tooOld(planned.plannedAt, now);
  if (old !== undefined) throw refuse(old);
  if (!isSame(planned.plan, plan)) throw refuse('is for another fleet');
  if (isOtherSize(planned.chunksOfAll, start.chunksOfAll))
    throw refuse(`was made when the scopes had ${planned.chunksOfAll} chunks; they have ${start.chunksOfAll} now`);
  if (!isSame(planned.embedding, start.embedding)) throw refuse(`was made for another description of the model ${version}`);
  const terms = otherTerms(planned, start, version);
  if (terms !== undefined) throw refuse(terms);
};

/** @throws Conflict if the installation requires an approved plan, and this start has none */
export const requireApprovedFleet = ({ planned }: Planned, fleet: FleetId): void => {
  if (!planned)
    throw new Conflict(
      'swaps of this installation need an approved plan: plan the fleet (`POST /v1/fleets/plan`), and let another person approve it',
    );
  if (!planned.approved) throw new Conflict(`plan ${fleet} is not approved yet: another person has to approve it`);
};

export const used = (fleet: FleetId): Conflict => new Conflict(`plan ${fleet} was used already: it started fleet ${fleet}`);

/** @throws NotFound */
const plannedOf = ({ planned }: Planned, fleet: FleetId): PlannedFleet => {
  if (!planned) throw new NotFound('plan of a fleet', fleet);
  return planned;
};
