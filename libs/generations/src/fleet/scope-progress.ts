import type { FleetView } from '@palimpsest/contracts/http';
import type { EventMetadata, ScopeEvent } from '@palimpsest/knowledge/events';
import type { FleetRule } from '@palimpsest/knowledge/fleet';
import { generationNumber, type GenerationId } from '@palimpsest/knowledge/values';

export type FleetScopeState = FleetView['needsAttention']['scopes'][number]['state'];

/**
 * What a fleet knows of a scope, from events of the scope. `resume`: it is to be resumed. `goesBack`: it is to be rolled back if it is moved.
 * `retires`: its older generations are to be retired.
 * A later decision of its administrator counts: nothing is done twice.
 */
export type ScopeProgress = Readonly<{
  state: FleetScopeState;
  generation?: GenerationId;
  reason?: string;
  resume?: true;
  goesBack?: true;
  retires?: true;
}>;

/** Who acts for a fleet, in the events of scopes. */
export const FLEET_ACTOR = 'fleet-worker';

const RUNNING: readonly FleetScopeState[] = ['building', 'evaluating'];
const BEFORE_CUT_OVER: readonly FleetScopeState[] = ['building', 'paused', 'evaluating', 'undecided', 'worse', 'failed', 'held'];

const AFTER_CUT_OVER: readonly FleetScopeState[] = ['moved', 'retired', 'rolled-back'];

/** Whether the swap uses the model at the moment. */
export const isRunning = ({ state }: ScopeProgress): boolean => RUNNING.includes(state);
/** Whether there is a generation that was never active. */
export const isBeforeCutOver = ({ state }: ScopeProgress): boolean => BEFORE_CUT_OVER.includes(state);
/** Whether the fleet itself still has to do something before the wave of the scope is complete. */
export const isOpen = ({ state }: ScopeProgress, { undecided }: Pick<FleetRule, 'undecided'>): boolean =>
  state === 'waiting' || state === 'paused' || RUNNING.includes(state) || (state === 'undecided' && undecided === 'cut-over');

export const started = (generation: GenerationId, goesBack: boolean): ScopeProgress => ({
  state: 'building',
  generation,
  ...(goesBack ? { goesBack } : {}),
});

/** The progress after an event of the scope. `generation`: that of the fleet. */
export const afterEvent = (
  progress: ScopeProgress,
  generation: GenerationId,
  { type, data }: ScopeEvent,
  { actor }: Pick<EventMetadata, 'actor'>,
): ScopeProgress => {
  const to = (state: FleetScopeState, reason?: string): ScopeProgress => {
    const goesBack = progress.goesBack && (state === 'moved' || BEFORE_CUT_OVER.includes(state));
    return { state, generation, ...(reason === undefined ? {} : { reason }), ...(goesBack ? { goesBack } : {}) };
  };
  if (!('generation' in data) || progress.state === 'left-out') return progress;
  if (type === 'GenerationActivated')
    return data.generation === generation ? to('moved') : afterAnother(progress, data.generation, generation, to);
  if (data.generation !== generation) return progress;
  switch (type) {
    case 'GenerationBuilt':
      return to('evaluating');
    case 'GenerationPaused':
      return to(actor === FLEET_ACTOR ? 'paused' : data.by === 'platform' ? 'failed' : 'held', data.reason);
    case 'GenerationResumed':
      return to('building');
    case 'GenerationEvaluated':
      if (!isBeforeCutOver(progress)) return progress;
      if (data.verdict === 'worse') return to('worse', data.reasons.join('; '));
      // With this verdict, the platform cuts over in the same append. An evaluation of a person cuts nothing over.
      return data.verdict === 'not-worse' && data.by === 'platform' ? progress : to('undecided', data.reasons.join('; '));
    case 'GenerationRetired':
      return isBeforeCutOver(progress) ? to('cancelled') : progress;
    default:
      return progress;
  }
};

/** Another generation became active: an earlier one, or that of a later swap. */
const afterAnother = (
  progress: ScopeProgress,
  active: GenerationId,
  generation: GenerationId,
  to: (state: FleetScopeState) => ScopeProgress,
): ScopeProgress => {
  if (!AFTER_CUT_OVER.includes(progress.state)) return progress;
  return to(generationNumber(active) < generationNumber(generation) ? 'rolled-back' : 'replaced');
};
