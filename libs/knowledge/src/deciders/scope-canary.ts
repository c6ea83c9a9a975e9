import { Conflict, InvalidValue } from '../errors.ts';
import type {
  CanaryEnded,
  CanaryEndReason,
  CanaryEvent,
  CanaryEvidence,
  CanaryStarted,
  CanaryThresholds,
} from '../events/canary-events.ts';
import type { ScopeEvent } from '../events/scope-events.ts';
import { chunkListOf, type Recipe } from '../values/recipe.ts';
import type { VectorScope } from '../values/scope.ts';
import type { GenerationId } from '../values/versions.ts';

export type CanaryCommand =
  /** A share of the callers is served by the generation that waits for its cut-over. `forced`: why, although it was evaluated as worse. */
  | Readonly<{
      type: 'StartCanary';
      scope: VectorScope;
      share: number;
      thresholds: CanaryThresholds;
      forced?: string;
      now: string;
    }>
  | Readonly<{ type: 'StopCanary'; scope: VectorScope; now: string }>
  /** The platform found a regression. `started`: the revision of the `CanaryStarted` that the evidence is about. */
  | Readonly<{ type: 'ReturnCallers'; scope: VectorScope; started: number; evidence: CanaryEvidence; now: string }>;

/** The latest canary of a scope. `started`: the revision of its event. */
export type Canary = CanaryStarted['data'] & Readonly<{ started: number; ended?: CanaryEnded['data'] }>;

type Side = Readonly<{ id: GenerationId; status: string; recipe: Recipe }>;
type WithCanary = Readonly<{ generations: readonly Side[]; canary?: Canary }>;

/** The canary whose callers are served by another generation now. */
export const runningCanary = ({ canary }: Pick<WithCanary, 'canary'>): Canary | undefined =>
  canary !== undefined && canary.ended === undefined ? canary : undefined;

/** @throws InvalidValue if the share is no percentage */
const percentage = (share: number): number => {
  if (!(share >= 0 && share <= 100)) throw new InvalidValue('share', 'a number from 0 to 100 (percent of the callers)', share);
  return share;
};

/** `generation`: built, and the one that a cut-over would activate. @throws Conflict, InvalidValue */
export const startCanary = (
  { scope, share, thresholds, forced, now }: Extract<CanaryCommand, { type: 'StartCanary' }>,
  state: WithCanary,
  generation: Side | undefined,
): readonly ScopeEvent[] => {
  percentage(share);
  const active = state.generations.find(({ status }) => status === 'active');
  if (!active || !generation) throw new Conflict(`scope "${scope}" has no built generation for a canary: start a swap first`);
  if (chunkListOf(active.recipe.chunking) !== chunkListOf(generation.recipe.chunking))
    throw new Conflict(`generation ${generation.id} of scope "${scope}" divides documents into other chunks: it cannot have a canary`);
  const running = runningCanary(state);
  if (running?.share === share && sameThresholds(running.thresholds, thresholds)) return [];
  const data = { scope, generation: generation.id, against: active.id, share, thresholds, startedAt: now };
  return [{ type: 'CanaryStarted', data: { ...data, ...(forced === undefined ? {} : { forced }) } }];
};

const sameThresholds = (a: CanaryThresholds, b: CanaryThresholds): boolean =>
  a.emptyShare === b.emptyShare && a.slowdown === b.slowdown && a.scoreDrop === b.scoreDrop && a.agreementDrop === b.agreementDrop;

/** Nothing happens if the canary has ended already, for whatever reason: its callers are where the command wants them. @throws Conflict */
export const stopCanary = ({ scope, now }: Extract<CanaryCommand, { type: 'StopCanary' }>, state: WithCanary): readonly ScopeEvent[] => {
  if (state.canary === undefined) throw new Conflict(`scope "${scope}" has no canary to stop`);
  return ended(scope, state, 'stopped', now);
};

/** No effect if the canary has ended, or was changed since: the evidence is about another share or other thresholds. */
export const returnCallers = (
  { scope, started, evidence, now }: Extract<CanaryCommand, { type: 'ReturnCallers' }>,
  state: WithCanary,
): readonly ScopeEvent[] => (runningCanary(state)?.started === started ? ended(scope, state, 'regression', now, evidence) : []);

const ended = (
  scope: VectorScope,
  state: WithCanary,
  reason: CanaryEndReason,
  now: string,
  evidence?: CanaryEvidence,
): readonly ScopeEvent[] => {
  const running = runningCanary(state);
  if (!running) return [];
  const data = { scope, generation: running.generation, reason, ...(evidence === undefined ? {} : { evidence }), endedAt: now };
  return [{ type: 'CanaryEnded', data }];
};

/** A step that changes which generations there are ends the canary first, with a reason that follows from the step. */
export const endingCanary = (events: readonly ScopeEvent[], state: WithCanary, scope: VectorScope, now: string): readonly ScopeEvent[] => {
  const running = runningCanary(state);
  const reason = running && events.map((event) => endedBy(event, running)).find((found) => found !== undefined);
  return reason === undefined ? events : [...ended(scope, state, reason, now), ...events];
};

const endedBy = (event: ScopeEvent, { generation }: Canary): CanaryEndReason | undefined => {
  if (event.type === 'GenerationActivated') return event.data.generation === generation ? 'cut-over' : 'rolled-back';
  return event.type === 'GenerationRetired' && event.data.generation === generation ? 'cancelled' : undefined;
};

/** @throws Conflict while a canary runs */
export const refuseDuringCanary = (state: WithCanary, scope: VectorScope): void => {
  const running = runningCanary(state);
  if (!running) return;
  throw new Conflict(
    `generation ${running.generation} of scope "${scope}" serves ${running.share} % of the callers as a canary: stop the canary, or cut over, first`,
  );
};

export const evolveCanary = <State extends WithCanary>(state: State, event: CanaryEvent, revision: number): State => {
  if (event.type === 'CanaryStarted') return { ...state, canary: { ...event.data, started: revision } };
  return state.canary ? { ...state, canary: { ...state.canary, ended: event.data } } : state;
};
