import { aRecipe, LARGE, MINI, NOW } from '../../test/builders.ts';
import { specify } from '../../test/given-when-then.ts';
import { Conflict } from '../errors.ts';
import type { Cutover, ScopeEvent } from '../events/scope-events.ts';
import { DOCUMENT_RANGES } from '../values/document-range.ts';
import { vectorScope } from '../values/scope.ts';
import { generationId } from '../values/versions.ts';
import { evaluable, type EvaluationResult } from './scope-evaluation.ts';
import { scope, type ScopeCommand } from './scope.ts';
import type { Scope } from './scope-state.ts';

const { given } = specify(scope);
const red = vectorScope('team:red');
const g = (number: number) => generationId(`g${number}`);
const started = (number: number, cutover: Cutover): ScopeEvent => ({
  type: 'GenerationStarted',
  data: { scope: red, generation: g(number), recipe: aRecipe(number === 1 ? MINI : LARGE), startedAt: NOW, cutover },
});
const activated = (number: number, forced?: string): ScopeEvent => ({
  type: 'GenerationActivated',
  data: { scope: red, generation: g(number), activatedAt: NOW, ...(forced === undefined ? {} : { forced }) },
});
const counts = { chunks: 3, withoutVector: 1 };
const isBuilt: ScopeEvent = { type: 'GenerationBuilt', data: { scope: red, generation: g(2), ...counts, upTo: '90', builtAt: NOW } };
const RANGES = Array.from({ length: DOCUMENT_RANGES }, (_, range): ScopeEvent => ({
  type: 'GenerationRangeEmbedded',
  data: { scope: red, generation: g(2), range, ...counts, tokens: 30, embeddedAt: NOW },
}));
const OPEN: readonly ScopeEvent[] = [
  { type: 'ScopeOpened', data: { scope: red, openedAt: NOW } },
  { type: 'GenerationStarted', data: { scope: red, generation: g(1), recipe: aRecipe(MINI), startedAt: NOW } },
  activated(1),
];
const BUILDING = (cutover: Cutover) => [...OPEN, started(2, cutover)];
const READY = (cutover: Cutover) => [...BUILDING(cutover), ...RANGES, isBuilt];
const retired: ScopeEvent = { type: 'GenerationRetired', data: { scope: red, generation: g(2), retiredAt: NOW } };

const result = (
  verdict: EvaluationResult['verdict'],
  by: 'person' | 'platform' = 'platform',
  [generation, against] = [g(2), g(1)],
): EvaluationResult => ({
  ...{ generation, against, verdict, by, reasons: ['nDCG@10 changed by -0.2'], decidedBy: 'self', margin: 0.02, seed: 1 },
  ...{ from: '1', upTo: '2', measures: [], coverage: { chunks: 3, refused: 0, unexplained: 0 }, unsettled: 0 },
  ...{ golden: { used: 0, synthetic: 0, unusable: 0 }, spotCheck: { checked: 0, mismatched: 0 } },
  ...{ queries: [], sets: [], refused: [], unexplained: [], mismatched: [], missingDocuments: [] },
});
const record = (evaluation: EvaluationResult): ScopeCommand => ({ type: 'RecordEvaluation', scope: red, evaluation, now: NOW });
const evaluated = (evaluation: EvaluationResult): ScopeEvent => ({
  type: 'GenerationEvaluated',
  data: { ...evaluation, scope: red, evaluatedAt: NOW },
});
const cutOver = (forced?: string): ScopeCommand => ({
  type: 'CutOver',
  scope: red,
  now: NOW,
  ...(forced === undefined ? {} : { forced }),
});

describe('a swap with a gate', () => {
  it('waits for its evaluation once it is built, and is cut over if it is not worse', () => {
    given(...BUILDING('gate'), ...RANGES)
      .when({ type: 'RecordBuilt', scope: red, generation: g(2), counts: { ...counts, upTo: '90' }, now: NOW })
      .then(isBuilt)
      .when(record(result('not-worse')))
      .then(evaluated(result('not-worse')), activated(2));
  });
  it.each(['worse', 'undecided'] as const)('waits for a person if the verdict is %s', (verdict) => {
    given(...READY('gate'))
      .when(record(result(verdict)))
      .then(evaluated(result(verdict)))
      .when(record(result('not-worse')))
      .then();
  });
  it('records no evaluation of the platform after the generations were changed', () => {
    given(...READY('gate'), activated(2))
      .when(record(result('not-worse')))
      .then();
    given(...READY('gate'), retired)
      .when(record(result('not-worse')))
      .then();
  });
});

describe('an evaluation that a person starts', () => {
  const mine = (verdict: EvaluationResult['verdict']) => result(verdict, 'person');
  it.each(['manual', 'gate'] as const)('cuts over to nothing (%s)', (cutover) => {
    given(...READY(cutover))
      .when(record(mine('not-worse')))
      .then(evaluated(mine('not-worse')))
      .when(cutOver())
      .then(activated(2));
  });
  it('also compares a generation in standby', () => {
    const standby = result('worse', 'person', [g(1), g(2)]);
    given(...READY('manual'), activated(2))
      .when(record(standby))
      .then(evaluated(standby));
  });
  it('is refused while the generation is being built, and after the generations were changed', () => {
    given(...BUILDING('manual'))
      .when(record(mine('not-worse')))
      .thenRefuses(Conflict, /g2 is building; evaluate again/);
    given(...READY('manual'), activated(2))
      .when(record(mine('not-worse')))
      .thenRefuses(Conflict, /were changed during the evaluation/);
  });
});

describe('a cut-over against the verdict', () => {
  const WORSE = [...READY('manual'), evaluated(result('worse', 'person'))];
  it('is refused without a reason, and records the reason', () => {
    given(...WORSE)
      .when(cutOver())
      .thenRefuses(Conflict, /evaluated as worse than g1 \(nDCG@10 changed by -0.2\).*force the cut-over with a reason/);
    given(...WORSE)
      .when(cutOver('the old model is switched off today'))
      .then(activated(2, 'the old model is switched off today'));
  });
  it('is not needed if a later evaluation has another verdict, nor to roll back', () => {
    given(...WORSE, evaluated(result('undecided', 'person')))
      .when(cutOver())
      .then(activated(2));
    given(...READY('manual'), activated(2), evaluated(result('worse', 'person', [g(1), g(2)])))
      .when({ type: 'RollBack', scope: red, now: NOW })
      .then(activated(1));
  });
});

describe('the generation to evaluate', () => {
  const stateOf = (...events: readonly ScopeEvent[]): Scope =>
    events.reduce((state, event, revision) => scope.evolve(state, event, revision), scope.initial());
  it('is the one that waits for its cut-over, otherwise the newest in standby', () => {
    expect(evaluable(stateOf(...READY('manual')), red)).toEqual({ generation: 'g2', against: 'g1' });
    expect(evaluable(stateOf(...READY('manual'), activated(2)), red)).toEqual({ generation: 'g1', against: 'g2' });
    expect(evaluable(stateOf(...READY('manual'), activated(2), activated(1)), red)).toEqual({ generation: 'g2', against: 'g1' });
  });
  it('does not exist while one is being built, and without a second one', () => {
    expect(() => evaluable(stateOf(...BUILDING('manual')), red)).toThrow(/g2 .* is not built yet/);
    expect(() => evaluable(stateOf(...OPEN), red)).toThrow(/no second generation/);
    expect(() => evaluable(stateOf(...READY('manual'), retired), red)).toThrow(Conflict);
  });
});
