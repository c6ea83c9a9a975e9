import { Conflict, InvalidValue, NotFound, unreachable } from '../errors.ts';
import type {
  AssignedScope,
  FleetEvent,
  FleetPlan,
  FleetStarted,
  LeftOutReason,
  LeftOutScope,
  RetiredScope,
  WaveCounts,
} from '../events/fleet-events.ts';
import type { FleetId } from '../values/fleet.ts';
import { scopeKey } from '../values/scope.ts';
import type { Decider } from './decider.ts';
import {
  approveFleetPlan,
  checkFleetPlan,
  planFleet,
  requireApprovedFleet,
  used,
  type ApproveFleetPlan,
  type PlanFleet,
  type PlannedFleet,
  type PlannedFleetStart,
} from './fleet-plan.ts';
import { brokenRule } from './fleet-rule.ts';

type Of<Type extends string, More = unknown> = Readonly<{ type: Type; fleet: FleetId; now: string }> & More;

export type FleetCommand =
  /** What a fleet would take is known. Nothing is started. */
  | PlanFleet
  | ApproveFleetPlan
  /** `planned`: exactly as the fleet of this id was planned. `approval`: only by an approved plan. */
  | Of<'StartFleet', Readonly<{ plan: FleetPlan; planned?: PlannedFleetStart; approval?: 'required' }>>
  /** Scopes that have a wave keep it. `complete`: these are the last ones. Starts the first wave, or makes the last one complete. */
  | Of<'AssignScopes', Readonly<{ scopes: readonly AssignedScope[]; complete: boolean }>>
  | Of<'LeaveOut', Readonly<{ scopes: readonly LeftOutScope[] }>>
  /** What is known of the scopes of a wave: stops the fleet, completes the wave, or does nothing. */
  | Of<'RecordWave', Readonly<{ wave: number; counts: WaveCounts }>>
  /** `platform`: the model is missing. */
  | Of<'PauseFleet', Readonly<{ reason: string; by: 'person' | 'platform' }>>
  | Of<'ResumeFleet'>
  /** Starts the next wave; after a stop by the rule, once the rest of the wave is done. */
  | Of<'ContinueFleet'>
  | Of<'CancelFleet'>
  | Of<'RollBackFleet'>
  /** After the end: frees what the moved scopes used before. */
  | Of<'RetireFleet'>
  | Of<'RecordRetired', Readonly<{ scopes: readonly RetiredScope[] }>>;

/** `assigning`: its scopes get their waves. `waiting`: for a person, after a wave. The last three are ends. */
export type FleetStage = 'assigning' | 'running' | 'waiting' | 'paused' | 'complete' | 'cancelled' | 'rolled-back';

export type FleetPause = Readonly<{ reason: string; by: 'person' | 'rule' | 'platform'; at: string }>;
/** `scopes`: those whose older generations are retired, by `scopeKey`. */
export type FleetRetirement = Readonly<{ at: string; scopes: ReadonlyMap<string, RetiredScope> }>;

/** `wave`: the current one, from 0. */
export type Fleet = Readonly<{
  planned?: PlannedFleet;
  started?: FleetStarted['data'];
  stage: FleetStage;
  wave: number;
  /** By `scopeKey`, in the order of their assignment. */
  scopes: ReadonlyMap<string, AssignedScope>;
  leftOut: ReadonlyMap<string, LeftOutReason>;
  /** Whether every scope of the current wave is assigned. */
  assigned: boolean;
  /** A person accepted the current wave in spite of the rule. */
  accepted: boolean;
  paused?: FleetPause;
  retired?: FleetRetirement;
  completed: ReadonlyMap<number, Readonly<{ counts: WaveCounts; at: string }>>;
}>;

/** The names of the waves: `canary`, `1 %`, …, `all`. */
export const wavesOf = ({ canary, percents }: Pick<FleetPlan, 'canary' | 'percents'>): readonly string[] => [
  ...(canary.length > 0 ? ['canary'] : []),
  ...percents.map((percent) => (percent === 100 ? 'all' : `${percent} %`)),
];

/** Whether the fleet starts no swap any more. */
export const isOver = ({ stage }: Pick<Fleet, 'stage'>): boolean =>
  stage === 'complete' || stage === 'cancelled' || stage === 'rolled-back';

type Started = Fleet & Required<Pick<Fleet, 'started'>>;
type Command<Type extends FleetCommand['type']> = Extract<FleetCommand, { type: Type }>;

const isLast = ({ started }: Started, wave: number): boolean => wave === wavesOf(started).length - 1;

/** @throws InvalidValue */
export const refuseWaves = ({ percents }: Pick<FleetPlan, 'percents'>): void => {
  const rising = percents.every((percent, i) => percent > (percents[i - 1] ?? 0));
  if (!rising || percents.at(-1) !== 100) throw new InvalidValue('percents', 'rising numbers above 0, the last of which is 100', percents);
};

const start = ({ fleet, plan, planned, approval, now }: Command<'StartFleet'>, state: Fleet): readonly FleetEvent[] => {
  if (state.started) throw state.planned ? used(fleet) : new Conflict(`fleet ${fleet} exists already`);
  if (planned) checkFleetPlan(state, planned, { fleet, plan, now });
  if (approval) requireApprovedFleet(state, fleet);
  refuseWaves(plan);
  return [{ type: 'FleetStarted', data: { fleet, ...plan, startedAt: now } }];
};

const assign = ({ fleet, scopes, complete, now }: Command<'AssignScopes'>, state: Started): readonly FleetEvent[] => {
  if (state.assigned || isOver(state)) return [];
  const fresh = scopes.filter((scope) => !state.scopes.has(scopeKey(scope)));
  if (fresh.length === 0 && !complete) return [];
  const data = { fleet, scopes: fresh, complete, assignedAt: now };
  const assigned: FleetEvent = { type: 'FleetScopesAssigned', data };
  return complete && state.stage === 'assigning'
    ? [assigned, { type: 'FleetWaveStarted', data: { fleet, wave: 0, startedAt: now } }]
    : [assigned];
};

const leaveOut = ({ fleet, scopes, now }: Command<'LeaveOut'>, state: Started): readonly FleetEvent[] => {
  const fresh = scopes.filter((scope) => state.scopes.has(scopeKey(scope)) && state.leftOut.get(scopeKey(scope)) !== scope.reason);
  return fresh.length === 0 ? [] : [{ type: 'FleetScopesLeftOut', data: { fleet, scopes: fresh, leftOutAt: now } }];
};

const recordWave = ({ fleet, wave, counts, now }: Command<'RecordWave'>, state: Started): readonly FleetEvent[] => {
  if (state.stage !== 'running' || state.wave !== wave || !state.assigned) return [];
  const broken = state.accepted ? undefined : brokenRule(state.started.rule, counts);
  if (broken !== undefined) return [{ type: 'FleetPaused', data: { fleet, wave, reason: broken, by: 'rule', pausedAt: now } }];
  if (counts.open > 0) return [];
  const done: FleetEvent = { type: 'FleetWaveCompleted', data: { fleet, wave, counts, completedAt: now } };
  if (isLast(state, wave)) return [done, { type: 'FleetCompleted', data: { fleet, completedAt: now } }];
  const goesOn = state.accepted || counts.scopes === 0 || state.started.rule.advance === 'automatic';
  return goesOn ? [done, { type: 'FleetWaveStarted', data: { fleet, wave: wave + 1, startedAt: now } }] : [done];
};

const pause = ({ fleet, reason, by, now }: Command<'PauseFleet'>, state: Started): readonly FleetEvent[] => {
  if (state.stage === 'paused') return [];
  if (state.stage === 'assigning') throw new Conflict(`fleet ${fleet} has not started its first wave yet; try again`);
  if (state.stage === 'waiting') throw new Conflict(`fleet ${fleet} waits after wave ${state.wave + 1} and has nothing to pause`);
  refuseOver(state, fleet);
  return [{ type: 'FleetPaused', data: { fleet, wave: state.wave, reason, by, pausedAt: now } }];
};

const resume = ({ fleet, now }: Command<'ResumeFleet'>, state: Started): readonly FleetEvent[] => {
  if (state.stage === 'paused') return [{ type: 'FleetResumed', data: { fleet, resumedAt: now } }];
  refuseOver(state, fleet);
  if (state.stage === 'waiting')
    throw new Conflict(`fleet ${fleet} is not paused: it waits after wave ${state.wave + 1}; continue it instead`);
  return [];
};

const proceed = ({ fleet, now }: Command<'ContinueFleet'>, state: Started): readonly FleetEvent[] => {
  const { stage, wave, paused } = state;
  if (stage === 'waiting') return [{ type: 'FleetWaveStarted', data: { fleet, wave: wave + 1, startedAt: now } }];
  refuseOver(state, fleet);
  if (paused?.by === 'rule') return [{ type: 'FleetWaveAccepted', data: { fleet, wave, acceptedAt: now } }];
  if (paused) throw new Conflict(`fleet ${fleet} is paused (${paused.reason}): resume it instead`);
  throw new Conflict(`wave ${wave + 1} of fleet ${fleet} is not complete yet`);
};

const cancel = ({ fleet, now }: Command<'CancelFleet'>, state: Started): readonly FleetEvent[] => {
  if (state.stage === 'cancelled') return [];
  if (state.stage === 'complete') throw new Conflict(`fleet ${fleet} is complete: roll it back instead`);
  refuseOver(state, fleet);
  return [{ type: 'FleetCancelled', data: { fleet, cancelledAt: now } }];
};

const rollBack = ({ fleet, now }: Command<'RollBackFleet'>, { stage, retired }: Started): readonly FleetEvent[] => {
  if (retired)
    throw new Conflict(
      `what the scopes of fleet ${fleet} used before was retired at ${retired.at}, so it cannot be rolled back: start a fleet to the previous model; vectors on the log are reused`,
    );
  return stage === 'rolled-back' ? [] : [{ type: 'FleetRolledBack', data: { fleet, rolledBackAt: now } }];
};

const retire = ({ fleet, now }: Command<'RetireFleet'>, state: Started): readonly FleetEvent[] => {
  if (state.retired) return [];
  if (state.stage === 'rolled-back')
    throw new Conflict(`fleet ${fleet} is rolled back: its scopes use their previous generations, which cannot be retired`);
  if (!isOver(state))
    throw new Conflict(`fleet ${fleet} is not finished (${state.stage}): it can be retired once it is complete or cancelled`);
  return [{ type: 'FleetRetired', data: { fleet, retiredAt: now } }];
};

const recordRetired = ({ fleet, scopes, now }: Command<'RecordRetired'>, { retired, ...state }: Started): readonly FleetEvent[] => {
  const fresh = scopes.filter((scope) => state.scopes.has(scopeKey(scope)) && retired?.scopes.has(scopeKey(scope)) === false);
  return fresh.length === 0 ? [] : [{ type: 'FleetScopesRetired', data: { fleet, scopes: fresh, retiredAt: now } }];
};

const refuseOver = (state: Fleet, fleet: FleetId): void => {
  if (isOver(state)) throw new Conflict(`fleet ${fleet} is ${state.stage === 'rolled-back' ? 'rolled back' : state.stage}`);
};

const decide = (command: FleetCommand, state: Fleet): readonly FleetEvent[] => {
  const { started, planned } = state;
  switch (command.type) {
    case 'PlanFleet':
      return planFleet(command, state);
    case 'ApproveFleetPlan':
      return approveFleetPlan(command, state);
    case 'StartFleet':
      return start(command, state);
    default:
      if (started) return decideStarted(command, { ...state, started });
      throw planned
        ? new Conflict(`fleet ${command.fleet} is only planned: start it with its plan first`)
        : new NotFound('fleet', command.fleet);
  }
};

type BeforeStart = 'PlanFleet' | 'ApproveFleetPlan' | 'StartFleet';

const decideStarted = (command: Exclude<FleetCommand, { type: BeforeStart }>, state: Started): readonly FleetEvent[] => {
  switch (command.type) {
    case 'AssignScopes':
      return assign(command, state);
    case 'LeaveOut':
      return leaveOut(command, state);
    case 'RecordWave':
      return recordWave(command, state);
    case 'PauseFleet':
      return pause(command, state);
    case 'ResumeFleet':
      return resume(command, state);
    case 'ContinueFleet':
      return proceed(command, state);
    case 'CancelFleet':
      return cancel(command, state);
    case 'RollBackFleet':
      return rollBack(command, state);
    case 'RetireFleet':
      return retire(command, state);
    case 'RecordRetired':
      return recordRetired(command, state);
    default:
      return unreachable(command);
  }
};

const waveStarted = (state: Fleet, wave: number): Fleet => {
  const last = state.started !== undefined && wave > 0 && isLast({ ...state, started: state.started }, wave);
  // Scopes that arrived since the start join the last wave.
  return { ...state, stage: 'running', wave, accepted: false, assigned: !last };
};

const unpaused = ({ paused: _, ...state }: Fleet): Fleet => ({ ...state, stage: 'running' });

const withScopes = ({ at, scopes }: FleetRetirement, more: readonly RetiredScope[]): FleetRetirement => ({
  at,
  scopes: new Map([...scopes, ...more.map((scope) => [scopeKey(scope), scope] as const)]),
});

const evolve = (state: Fleet, event: FleetEvent): Fleet => {
  switch (event.type) {
    case 'FleetPlanned':
      return { ...state, planned: event.data };
    case 'FleetPlanApproved': {
      const { approvedAt: at, by } = event.data;
      return state.planned ? { ...state, planned: { ...state.planned, approved: { at, by } } } : state;
    }
    case 'FleetStarted':
      return { ...state, started: event.data };
    case 'FleetScopesAssigned': {
      const { scopes, complete } = event.data;
      const added = scopes.map(({ tenant, scope, wave }) => [scopeKey({ tenant, scope }), { tenant, scope, wave }] as const);
      return { ...state, scopes: new Map([...state.scopes, ...added]), assigned: complete };
    }
    case 'FleetWaveStarted':
      return waveStarted(state, event.data.wave);
    case 'FleetWaveCompleted': {
      const { wave, counts, completedAt: at } = event.data;
      return { ...state, stage: 'waiting', completed: new Map([...state.completed, [wave, { counts, at }]]) };
    }
    case 'FleetScopesLeftOut':
      return {
        ...state,
        leftOut: new Map([...state.leftOut, ...event.data.scopes.map((scope) => [scopeKey(scope), scope.reason] as const)]),
      };
    case 'FleetPaused': {
      const { reason, by, pausedAt: at } = event.data;
      return { ...state, stage: 'paused', paused: { reason, by, at } };
    }
    case 'FleetResumed':
      return unpaused(state);
    case 'FleetWaveAccepted':
      return { ...unpaused(state), accepted: true };
    case 'FleetCompleted':
      return { ...state, stage: 'complete' };
    case 'FleetCancelled':
      return { ...unpaused(state), stage: 'cancelled' };
    case 'FleetRolledBack':
      return { ...unpaused(state), stage: 'rolled-back' };
    case 'FleetRetired':
      return { ...state, retired: { at: event.data.retiredAt, scopes: new Map() } };
    case 'FleetScopesRetired':
      return state.retired ? { ...state, retired: withScopes(state.retired, event.data.scopes) } : state;
    default:
      return unreachable(event);
  }
};

/** The swap of a fleet of scopes in waves. What happens to each scope is on the stream of the scope. */
export const fleet: Decider<FleetCommand, Fleet, FleetEvent> = {
  initial: () => ({
    stage: 'assigning',
    wave: 0,
    scopes: new Map(),
    leftOut: new Map(),
    assigned: false,
    accepted: false,
    completed: new Map(),
  }),
  decide,
  evolve,
};
