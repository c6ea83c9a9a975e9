import { Conflict } from '../errors.ts';
import type { GenerationEvaluated } from '../events/evaluation-events.ts';
import type { ScopeEvent } from '../events/scope-events.ts';
import type { VectorScope } from '../values/scope.ts';
import type { GenerationId } from '../values/versions.ts';

export type Evaluation = GenerationEvaluated['data'];
export type EvaluationResult = Omit<Evaluation, 'scope' | 'evaluatedAt'>;
export type RecordEvaluation = Readonly<{ type: 'RecordEvaluation'; scope: VectorScope; evaluation: EvaluationResult; now: string }>;

type Evaluable = Readonly<{
  generations: readonly Readonly<{ id: GenerationId; status: string }>[];
  swap?: Readonly<{ generation: GenerationId; cutover: string }>;
  evaluation?: Evaluation;
}>;

/**
 * The generation that an evaluation compares with the active one: the one that waits for its cut-over, otherwise the newest in standby.
 * @throws Conflict if there is none, or if it is not built yet
 */
export const evaluable = (
  { generations }: Evaluable,
  scope: VectorScope,
): Readonly<{ generation: GenerationId; against: GenerationId }> => {
  const active = generations.find(({ status }) => status === 'active');
  const building = generations.find(({ status }) => status === 'building');
  if (building) throw new Conflict(`generation ${building.id} of scope "${scope}" is not built yet: evaluate it once it is ready`);
  const found = generations.find(({ status }) => status === 'ready') ?? generations.findLast(({ status }) => status === 'standby');
  if (!active || !found) throw new Conflict(`scope "${scope}" has no second generation to evaluate: start a swap first`);
  return { generation: found.id, against: active.id };
};

/** Whether a built generation waits for its evaluation, so that the platform can decide about its cut-over. */
export const awaitsEvaluation = ({ swap, generations, evaluation }: Evaluable, generation: GenerationId): boolean =>
  swap?.generation === generation &&
  swap.cutover === 'gate' &&
  evaluation?.generation !== generation &&
  generations.some(({ id, status }) => id === generation && status === 'ready');

/** @throws Conflict if the generations were changed during an evaluation that a person started; that of the platform then has no effect */
export const recordEvaluation = ({ scope, evaluation, now }: RecordEvaluation, state: Evaluable): readonly ScopeEvent[] => {
  const { generation, against, by, verdict } = evaluation;
  const statusOf = (wanted: GenerationId) => state.generations.find(({ id }) => id === wanted)?.status;
  const status = statusOf(generation);
  if (statusOf(against) !== 'active' || (status !== 'ready' && status !== 'standby')) {
    if (by === 'platform') return [];
    throw new Conflict(
      `the generations of scope "${scope}" were changed during the evaluation: ${generation} is ${status ?? 'unknown'}; evaluate again`,
    );
  }
  const decides = by === 'platform' && awaitsEvaluation(state, generation);
  if (by === 'platform' && !decides) return [];
  const evaluated: ScopeEvent = { type: 'GenerationEvaluated', data: { ...evaluation, scope, evaluatedAt: now } };
  return decides && verdict === 'not-worse'
    ? [evaluated, { type: 'GenerationActivated', data: { scope, generation, activatedAt: now } }]
    : [evaluated];
};

/** @throws Conflict if the latest evaluation of the generation found that it is worse, and no reason is given to activate it anyway */
export const refuseWorse = (
  { evaluation }: Evaluable,
  { id, status }: Readonly<{ id: GenerationId; status: string }>,
  scope: VectorScope,
  forced: string | undefined,
  step: 'cut-over' | 'canary' = 'cut-over',
): void => {
  if (forced !== undefined || status === 'active' || evaluation?.generation !== id || evaluation.verdict !== 'worse') return;
  throw new Conflict(
    `generation ${id} of scope "${scope}" was evaluated as worse than ${evaluation.against} (${evaluation.reasons.join('; ')}): ` +
      `cancel the swap, evaluate again, or force the ${step} with a reason`,
  );
};
