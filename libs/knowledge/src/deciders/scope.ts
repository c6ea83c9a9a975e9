import { Conflict, NotFound } from '../errors.ts';
import type { QueryWindow } from '../events/cutover.ts';
import type { Cutover, ScopeEvent } from '../events/scope-events.ts';
import type { VectorScope } from '../values/scope.ts';
import type { Recipe } from '../values/recipe.ts';
import { generationId, type GenerationId } from '../values/versions.ts';
import type { Decider } from './decider.ts';
import { decideErasure, evolveErasure, refuseErased, type ErasureCommand } from './scope-erasure.ts';
import {
  endingCanary,
  evolveCanary,
  refuseDuringCanary,
  returnCallers,
  startCanary,
  stopCanary,
  type CanaryCommand,
} from './scope-canary.ts';
import { approvePlan, checkPlan, recordPlan, requireApproval, type ApprovePlan, type PlannedStart, type RecordPlan } from './scope-plan.ts';
import { recordEvaluation, refuseWorse, type RecordEvaluation } from './scope-evaluation.ts';
import { divided, notBuilt } from './scope-ranges.ts';
import { comingAlready, laterGeneration, nameOf, previousGeneration } from './other-generations.ts';
import { isKept, refuseCompanion } from './scope-companion.ts';
import {
  activeGeneration,
  comingGeneration,
  isEquivalent,
  newSwap,
  openRanges,
  running,
  type BuiltCounts,
  type Generation,
  type RangeCounts,
  type Scope,
  type Swap,
} from './scope-state.ts';

export type ScopeCommand =
  /** Creates the scope with a first active generation, unless it exists. */
  | Readonly<{ type: 'Open'; scope: VectorScope; recipe: Recipe; now: string }>
  /**
   * Starts a generation with another model or chunking alongside the active one. `plan`: exactly as it was planned. `approval`: only by
   * an approved plan.
   */
  | Readonly<{
      type: 'StartGeneration';
      scope: VectorScope;
      recipe: Recipe;
      cutover?: Cutover;
      /** Of the gate. */
      pastQueries?: QueryWindow;
      plan?: PlannedStart;
      approval?: 'required';
      /** How many its documents are divided into; default 16. */
      ranges?: number;
      now: string;
    }>
  /** The figures of a swap are known. Nothing is started. */
  | RecordPlan
  /** Another person agrees with the latest plan. */
  | ApprovePlan
  /** A worker has embedded one range of documents. */
  | Readonly<{ type: 'RecordRange'; scope: VectorScope; generation: GenerationId; range: number; counts: RangeCounts; now: string }>
  /** A complete pass found no missing vector. Activates the generation if its cut-over is automatic, and keeps a companion. */
  | Readonly<{ type: 'RecordBuilt'; scope: VectorScope; generation: GenerationId; counts: BuiltCounts; now: string }>
  /** `generation`: only if this one is being built. */
  | Readonly<{ type: 'Pause'; scope: VectorScope; generation?: GenerationId; reason: string; by: 'person' | 'platform'; now: string }>
  | Readonly<{ type: 'Resume'; scope: VectorScope; now: string }>
  /** Activates the newest generation: a ready one, or one that was rolled back. `forced`: why, although it was evaluated as worse. */
  | Readonly<{ type: 'CutOver'; scope: VectorScope; forced?: string; now: string }>
  /** An evaluation is complete. That of the platform activates the generation if the swap says so. */
  | RecordEvaluation
  | CanaryCommand
  | ErasureCommand
  /** Activates the generation before the active one. */
  | Readonly<{ type: 'RollBack'; scope: VectorScope; now: string }>
  /** Ends a swap before its generation was active. */
  | Readonly<{ type: 'Cancel'; scope: VectorScope; now: string }>
  | Readonly<{ type: 'Activate'; scope: VectorScope; generation: GenerationId; now: string }>
  | Readonly<{ type: 'Retire'; scope: VectorScope; generation: GenerationId; now: string }>;

/** The events that activate a generation. @throws Conflict if its status does not permit it */
const activate = (
  state: Scope,
  { id: generation, status }: Generation,
  scope: VectorScope,
  now: string,
  forced?: string,
): readonly ScopeEvent[] => {
  if (status === 'active') return [];
  if (status === 'retired') throw new Conflict(`generation ${generation} of scope "${scope}" is retired`);
  if (status === 'companion')
    throw new Conflict(`generation ${generation} of scope "${scope}" is a companion: start a swap to its model; its vectors are reused`);
  if (status === 'building') throw notBuilt(state, generation, scope);
  return [{ type: 'GenerationActivated', data: { scope, generation, activatedAt: now, ...(forced === undefined ? {} : { forced }) } }];
};

const noSwap = (scope: VectorScope, state: Scope): Conflict => {
  const coming = comingGeneration(state);
  return new Conflict(
    coming ? `generation ${coming.id} of scope "${scope}" is built already` : `no generation of scope "${scope}" is being built`,
  );
};

const find = (state: Scope, id: GenerationId): Generation => {
  const found = state.generations.find((generation) => generation.id === id);
  if (!found) throw new NotFound('generation', id);
  return found;
};

const nextId = (state: Scope): GenerationId => generationId(`g${state.generations.length + 1}`);

/** @throws NotFound; Conflict if a swap to this recipe cannot be planned now */
export const refuseToPlan = (state: Scope, scope: VectorScope, recipe: Recipe): void => {
  const [active, coming] = [activeGeneration(state), comingGeneration(state)];
  if (!state.opened || !active) throw new NotFound('scope', scope);
  if (coming) throw new Conflict(comingAlready(state, coming, scope));
  if (isEquivalent(active.recipe, recipe)) throw new Conflict(`scope "${scope}" has the model ${nameOf(recipe)} already`);
};

type Command<Type extends ScopeCommand['type']> = Extract<ScopeCommand, { type: Type }>;

const open = ({ scope, recipe, now }: Command<'Open'>, state: Scope): readonly ScopeEvent[] => {
  if (state.opened) return [];
  const generation = nextId(state);
  return [
    { type: 'ScopeOpened', data: { scope, openedAt: now } },
    { type: 'GenerationStarted', data: { scope, generation, recipe, startedAt: now } },
    { type: 'GenerationActivated', data: { scope, generation, activatedAt: now } },
  ];
};

/** Whether the generation that is being built was started by this plan: the same request was sent again. */
const follows = (state: Scope, coming: Generation | undefined, { plan }: Command<'StartGeneration'>): boolean =>
  plan !== undefined && coming !== undefined && state.plan?.plan === plan.id && state.plan.started === coming.id;

const started = ({ scope, recipe, cutover, pastQueries, plan, ranges, now }: Command<'StartGeneration'>, state: Scope): ScopeEvent => {
  const chosen = cutover === undefined || cutover === 'automatic' ? {} : { cutover };
  const data = {
    scope,
    generation: nextId(state),
    recipe,
    startedAt: now,
    ...chosen,
    ...(pastQueries === undefined ? {} : { pastQueries }),
    ...(plan ? { plan: plan.id } : {}),
    ...divided(ranges),
  };
  return { type: 'GenerationStarted', data };
};

const asksSame = ({ swap }: Scope, { pastQueries }: Command<'StartGeneration'>): boolean =>
  swap?.pastQueries?.after === pastQueries?.after && swap?.pastQueries?.before === pastQueries?.before;

const start = (command: Command<'StartGeneration'>, state: Scope): readonly ScopeEvent[] => {
  const { scope, recipe, cutover = 'automatic', plan, approval, now } = command;
  if (!state.opened) throw new NotFound('scope', scope);
  const coming = comingGeneration(state);
  if (follows(state, coming, command)) return [];
  if (plan) checkPlan(state, plan, { scope, recipe, cutover, now });
  if (coming && isEquivalent(coming.recipe, recipe) && state.swap?.cutover === cutover && asksSame(state, command)) return [];
  if (coming) throw new Conflict(comingAlready(state, coming, scope));
  if (isKept(state, { recipe, cutover })) return [];
  refuseCompanion(state, { scope, recipe, cutover });
  const active = activeGeneration(state);
  if (active && isEquivalent(active.recipe, recipe)) return [];
  refuseDuringCanary(state, scope);
  if (approval) requireApproval(state, plan, scope);
  return [started(command, state)];
};

/** @throws NotFound; Conflict if the scope has this model, or a swap is running */
const plan = (command: RecordPlan, state: Scope): readonly ScopeEvent[] => {
  const { scope, figures } = command;
  refuseToPlan(state, scope, figures.recipe);
  refuseCompanion(state, { scope, ...figures });
  return recordPlan(command, state);
};

const recordRange = ({ scope, generation, range, counts, now }: Command<'RecordRange'>, state: Scope): readonly ScopeEvent[] => {
  const swap = running(state);
  if (swap?.generation !== generation || !openRanges(swap).includes(range)) return [];
  return [{ type: 'GenerationRangeEmbedded', data: { scope, generation, range, ...counts, embeddedAt: now } }];
};

const recordBuilt = ({ scope, generation, counts, now }: Command<'RecordBuilt'>, state: Scope): readonly ScopeEvent[] => {
  const swap = running(state);
  if (swap?.generation !== generation || swap.paused || openRanges(swap).length > 0) return [];
  const kept = swap.cutover === 'companion' ? { companion: true as const } : {};
  const built: ScopeEvent = { type: 'GenerationBuilt', data: { scope, generation, ...counts, builtAt: now, ...kept } };
  return swap.cutover !== 'automatic' ? [built] : [built, { type: 'GenerationActivated', data: { scope, generation, activatedAt: now } }];
};

const pause = ({ scope, generation, reason, by, now }: Command<'Pause'>, state: Scope): readonly ScopeEvent[] => {
  const swap = running(state);
  if (!swap || (generation !== undefined && swap.generation !== generation)) throw noSwap(scope, state);
  if (swap.paused) return [];
  return [{ type: 'GenerationPaused', data: { scope, generation: swap.generation, reason, by, pausedAt: now } }];
};

const resume = ({ scope, now }: Command<'Resume'>, state: Scope): readonly ScopeEvent[] => {
  const swap = running(state);
  if (!swap) throw noSwap(scope, state);
  return swap.paused
    ? [{ type: 'GenerationResumed', data: { scope, generation: swap.generation, resumedAt: now, ...divided(swap.rangeCount) } }]
    : [];
};

const beginCanary = (command: Command<'StartCanary'>, state: Scope): readonly ScopeEvent[] => {
  const later = laterGeneration(state);
  if (later?.status === 'building') throw notBuilt(state, later.id, command.scope);
  if (later) refuseWorse(state, later, command.scope, command.forced, 'canary');
  return startCanary(command, state, later);
};

const cutOver = ({ scope, now, forced }: Command<'CutOver'>, state: Scope): readonly ScopeEvent[] => {
  const later = laterGeneration(state);
  if (!later) throw new Conflict(`scope "${scope}" has no generation to cut over to: start a swap first`);
  refuseWorse(state, later, scope, forced);
  return activate(state, later, scope, now, forced);
};

const cancel = ({ scope, now }: Command<'Cancel'>, state: Scope): readonly ScopeEvent[] => {
  const coming = comingGeneration(state);
  if (!coming) throw new Conflict(`no swap of scope "${scope}" can be cancelled; after the cut-over, roll back and retire instead`);
  return [{ type: 'GenerationRetired', data: { scope, generation: coming.id, retiredAt: now } }];
};

const retire = ({ scope, generation, now }: Command<'Retire'>, state: Scope): readonly ScopeEvent[] => {
  const { status } = find(state, generation);
  if (status === 'retired') return [];
  if (status === 'active') throw new Conflict(`generation ${generation} of scope "${scope}" is active: activate another one first`);
  return [{ type: 'GenerationRetired', data: { scope, generation, retiredAt: now } }];
};

const step = (command: ScopeCommand, state: Scope): readonly ScopeEvent[] => {
  refuseErased(state, command);
  switch (command.type) {
    case 'Open':
      return open(command, state);
    case 'StartGeneration':
      return start(command, state);
    case 'RecordPlan':
      return plan(command, state);
    case 'ApprovePlan':
      return approvePlan(command, state);
    case 'RecordRange':
      return recordRange(command, state);
    case 'RecordBuilt':
      return recordBuilt(command, state);
    case 'Pause':
      return pause(command, state);
    case 'Resume':
      return resume(command, state);
    case 'CutOver':
      return cutOver(command, state);
    case 'RecordEvaluation':
      return recordEvaluation(command, state);
    case 'StartCanary':
      return beginCanary(command, state);
    case 'StopCanary':
      return stopCanary(command, state);
    case 'ReturnCallers':
      return returnCallers(command, state);
    case 'RollBack':
      return activate(state, previousGeneration(state, command.scope), command.scope, command.now);
    case 'Cancel':
      return cancel(command, state);
    case 'Activate':
      return activate(state, find(state, command.generation), command.scope, command.now);
    case 'Retire':
      return retire(command, state);
    default:
      return decideErasure(command, state);
  }
};

const decide = (command: ScopeCommand, state: Scope): readonly ScopeEvent[] =>
  endingCanary(step(command, state), state, command.scope, command.now);

const inSwap = (state: Scope, change: (swap: Swap) => Swap): Scope => (state.swap ? { ...state, swap: change(state.swap) } : state);

const until = ({ runs }: Swap, to: string): Swap['runs'] => runs.map((run, i) => (i === runs.length - 1 ? { ...run, to } : run));

const evolve = (state: Scope, event: ScopeEvent, revision: number): Scope => {
  const change = (status: (generation: Generation) => Generation['status']): Scope => ({
    ...state,
    generations: state.generations.map((generation) => ({ ...generation, status: status(generation) })),
  });
  switch (event.type) {
    case 'ScopeOpened':
      return { ...state, opened: true };
    case 'GenerationStarted': {
      const { generation: id, recipe, plan: followed } = event.data;
      return {
        ...state,
        ...(state.plan && state.plan.plan === followed ? { plan: { ...state.plan, started: id } } : {}),
        generations: [...state.generations, { id, embeddingVersion: recipe.embedding.version, recipe, status: 'building' }],
        swap: newSwap(event.data),
      };
    }
    case 'SwapPlanned':
      return { ...state, plan: { ...event.data, generations: state.generations.length } };
    case 'SwapPlanApproved': {
      const { approvedAt: at, by } = event.data;
      return state.plan ? { ...state, plan: { ...state.plan, approved: { at, by } } } : state;
    }
    case 'GenerationRangeEmbedded': {
      const { range, chunks, withoutVector, tokens, embeddedAt } = event.data;
      return inSwap(state, (swap) => ({
        ...swap,
        ranges: new Map([...swap.ranges, [range, { chunks, withoutVector, tokens }]]),
        runs: until(swap, embeddedAt),
      }));
    }
    case 'GenerationBuilt': {
      const { generation, chunks, withoutVector, upTo, builtAt: at, companion } = event.data;
      const built = change(({ id, status }) => (id === generation ? (companion ? 'companion' : 'ready') : status));
      return inSwap(built, (swap) => ({ ...swap, built: { chunks, withoutVector, upTo, at } }));
    }
    case 'GenerationPaused': {
      const { reason, by, pausedAt: at } = event.data;
      return inSwap(state, (swap) => ({ ...swap, paused: { reason, by, at }, runs: until(swap, at) }));
    }
    case 'GenerationResumed': {
      const { resumedAt: at } = event.data;
      return inSwap(state, ({ paused: _, ...swap }) => ({ ...swap, runs: [...swap.runs, { from: at, to: at }] }));
    }
    case 'GenerationEvaluated':
      return { ...state, evaluation: event.data };
    case 'CanaryStarted':
    case 'CanaryEnded':
      return evolveCanary(state, event, revision);
    case 'GenerationActivated': {
      const servedBefore = activeGeneration(state)?.id;
      return {
        ...change(({ id, status }) => (id === event.data.generation ? 'active' : status === 'active' ? 'standby' : status)),
        ...(servedBefore === undefined ? {} : { servedBefore }),
      };
    }
    case 'GenerationRetired':
      return change(({ id, status }) => (id === event.data.generation ? 'retired' : status));
    default:
      return evolveErasure(state, event);
  }
};

/** The generations of one scope: at most one active, at most one companion, at most one that is being built or waits for its cut-over. */
export const scope: Decider<ScopeCommand, Scope, ScopeEvent> = { initial: () => ({ opened: false, generations: [] }), decide, evolve };
