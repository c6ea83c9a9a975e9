import { aRecipe, LARGE, MINI, NOW } from '../../test/builders.ts';
import { specify } from '../../test/given-when-then.ts';
import { Conflict, InvalidValue } from '../errors.ts';
import type { CanaryEndReason, CanaryEvidence } from '../events/canary-events.ts';
import type { ScopeEvent } from '../events/scope-events.ts';
import { DOCUMENT_RANGES } from '../values/document-range.ts';
import { DEFAULT_CANARY_THRESHOLDS } from '../values/canary-thresholds.ts';
import { vectorScope } from '../values/scope.ts';
import { generationId } from '../values/versions.ts';
import type { EvaluationResult } from './scope-evaluation.ts';
import { scope, type ScopeCommand } from './scope.ts';

const { given } = specify(scope);
const red = vectorScope('team:red');
const g = (number: number) => generationId(`g${number}`);
const generation = (number: number, recipe = aRecipe(number === 1 ? MINI : LARGE)): ScopeEvent => ({
  type: 'GenerationStarted',
  data: { scope: red, generation: g(number), recipe, startedAt: NOW, ...(number === 1 ? {} : { cutover: 'manual' as const }) },
});
const activated = (number: number): ScopeEvent => ({
  type: 'GenerationActivated',
  data: { scope: red, generation: g(number), activatedAt: NOW },
});
const retired = (number: number): ScopeEvent => ({
  type: 'GenerationRetired',
  data: { scope: red, generation: g(number), retiredAt: NOW },
});
const ranges = (of: number) =>
  Array.from({ length: DOCUMENT_RANGES }, (_, range): ScopeEvent => ({
    type: 'GenerationRangeEmbedded',
    data: { scope: red, generation: g(of), range, chunks: 3, withoutVector: 0, tokens: 30, embeddedAt: NOW },
  }));
const built = (of: number): ScopeEvent => ({
  type: 'GenerationBuilt',
  data: { scope: red, generation: g(of), chunks: 48, withoutVector: 0, upTo: '90', builtAt: NOW },
});
const OPEN: readonly ScopeEvent[] = [{ type: 'ScopeOpened', data: { scope: red, openedAt: NOW } }, generation(1), activated(1)];
const BUILDING = [...OPEN, generation(2)];
const READY = [...BUILDING, ...ranges(2), built(2)];
const ROLLED_BACK = [...READY, activated(2), activated(1)];

const begin = (share = 5, thresholds = DEFAULT_CANARY_THRESHOLDS, forced?: string): ScopeCommand => ({
  ...{ type: 'StartCanary', scope: red, share, thresholds, now: NOW },
  ...(forced === undefined ? {} : { forced }),
});
const started = (share = 5, thresholds = DEFAULT_CANARY_THRESHOLDS, [of, against] = [g(2), g(1)]): ScopeEvent => ({
  type: 'CanaryStarted',
  data: { scope: red, generation: of, against, share, thresholds, startedAt: NOW },
});
const stop: ScopeCommand = { type: 'StopCanary', scope: red, now: NOW };
const ended = (reason: CanaryEndReason, evidence?: CanaryEvidence, of = g(2)): ScopeEvent => ({
  type: 'CanaryEnded',
  data: { scope: red, generation: of, reason, ...(evidence === undefined ? {} : { evidence }), endedAt: NOW },
});
const EVIDENCE: CanaryEvidence = {
  canary: { queries: 50, empty: 20 },
  active: { queries: 900, empty: 3 },
  findings: [{ measure: 'empty', canary: 0.4, active: 0.003, p: 1e-6, level: 0.002 }],
  upTo: '700',
};
const back = (since: number): ScopeCommand => ({ type: 'ReturnCallers', scope: red, started: since, evidence: EVIDENCE, now: NOW });
const simple = (type: 'CutOver' | 'RollBack' | 'Cancel'): ScopeCommand => ({ type, scope: red, now: NOW });

describe('a canary', () => {
  it('serves a share of the callers with a built generation, until a person stops it', () => {
    given(...READY)
      .when(begin())
      .then(started())
      .when(stop)
      .then(ended('stopped'));
  });
  it('may be that of a generation that was rolled back', () => {
    given(...ROLLED_BACK)
      .when(begin())
      .then(started());
  });
  it.each([
    ['before anything is built', BUILDING, /g2 .* is not built: 16 of 16 ranges/],
    ['without a swap', OPEN, /no built generation for a canary: start a swap first/],
    ['after the cut-over', [...READY, activated(2)], /no built generation for a canary/],
    ['after the swap was cancelled', [...READY, retired(2)], /no built generation for a canary/],
  ])('is refused %s', (_, events, reason) => {
    given(...events)
      .when(begin())
      .thenRefuses(Conflict, reason);
  });
  it.each([-1, 101, Number.NaN])('has a share in percent, not %d', (share) => {
    given(...READY)
      .when(begin(share))
      .thenRefuses(InvalidValue, /share.*from 0 to 100/);
  });
  it.each([0, 100])('may have the share %d', (share) => {
    given(...READY)
      .when(begin(share))
      .then(started(share));
  });
  it('is started once by two operators who want the same, and changed by one who wants another share or threshold', () => {
    const patient = { ...DEFAULT_CANARY_THRESHOLDS, slowdown: 3 };
    given(...READY)
      .when(begin())
      .then(started())
      .when(begin())
      .then()
      .when(begin(20))
      .then(started(20))
      .when(begin(20, patient))
      .then(started(20, patient));
  });
  it('ends once: the second answer is the state that holds', () => {
    given(...READY, started())
      .when(back(READY.length))
      .then(ended('regression', EVIDENCE))
      .when(stop)
      .then()
      .when(back(READY.length))
      .then();
    given(...READY, started())
      .when(stop)
      .then(ended('stopped'))
      .when(back(READY.length))
      .then();
  });
  it('is not ended by evidence about its earlier share', () => {
    given(...READY, started(), started(20))
      .when(back(READY.length))
      .then()
      .when(back(READY.length + 1))
      .then(ended('regression', EVIDENCE));
  });
  it('cannot be stopped if there was none', () => {
    given(...READY)
      .when(stop)
      .thenRefuses(Conflict, /has no canary to stop/);
  });
  it('can be started again after it ended', () => {
    given(...READY, started(), ended('regression', EVIDENCE))
      .when(begin(5))
      .then(started(5));
  });
});

describe('a canary of a generation that was evaluated as worse', () => {
  const worse: EvaluationResult = {
    ...{ generation: g(2), against: g(1), verdict: 'worse', by: 'person', reasons: ['a loss'], decidedBy: 'self', margin: 0.02, seed: 1 },
    ...{ from: '1', upTo: '2', measures: [], coverage: { chunks: 3, refused: 0, unexplained: 0 }, unsettled: 0 },
    ...{ golden: { used: 0, synthetic: 0, unusable: 0 }, spotCheck: { checked: 0, mismatched: 0 } },
    ...{ queries: [], sets: [], refused: [], unexplained: [], mismatched: [], missingDocuments: [] },
  };
  const WORSE: readonly ScopeEvent[] = [...READY, { type: 'GenerationEvaluated', data: { ...worse, scope: red, evaluatedAt: NOW } }];
  it('needs a reason, which is recorded', () => {
    given(...WORSE)
      .when(begin())
      .thenRefuses(Conflict, /evaluated as worse than g1 .* force the canary with a reason/);
    const event = started();
    given(...WORSE)
      .when(begin(5, DEFAULT_CANARY_THRESHOLDS, 'the judged queries are out of date'))
      .then({ ...event, data: { ...event.data, forced: 'the judged queries are out of date' } } as ScopeEvent);
  });
});

describe('other steps during a canary', () => {
  const RUNNING = [...READY, started()];
  it('a cut-over ends it, by a person or after an evaluation', () => {
    given(...RUNNING)
      .when(simple('CutOver'))
      .then(ended('cut-over'), activated(2));
    given(...RUNNING)
      .when({ type: 'Activate', scope: red, generation: g(2), now: NOW })
      .then(ended('cut-over'), activated(2));
  });
  it('a cancelled swap ends it', () => {
    given(...RUNNING)
      .when(simple('Cancel'))
      .then(ended('cancelled'), retired(2));
  });
  it('retiring its rolled back generation ends it', () => {
    given(...ROLLED_BACK, started())
      .when({ type: 'Retire', scope: red, generation: g(2), now: NOW })
      .then(ended('cancelled'), retired(2));
  });
  it('a pause is refused, because nothing is being built', () => {
    given(...RUNNING)
      .when({ type: 'Pause', scope: red, reason: 'lunch', by: 'person', now: NOW })
      .thenRefuses(Conflict, /g2 .* is built already/);
  });
  it('a new swap is refused', () => {
    const swap: ScopeCommand = { type: 'StartGeneration', scope: red, recipe: aRecipe('fake:other/4' as never), now: NOW };
    given(...RUNNING)
      .when(swap)
      .thenRefuses(Conflict, /waits for its cut-over/);
    given(...ROLLED_BACK, started())
      .when(swap)
      .thenRefuses(Conflict, /g2 .* serves 5 % of the callers as a canary: stop the canary, or cut over, first/);
  });
  it('a roll back ends it, since the generation that it is compared with is no longer active', () => {
    const third = generation(3, aRecipe('fake:other/4' as never));
    given(...READY, activated(2), third, ...ranges(3), built(3), started(5, DEFAULT_CANARY_THRESHOLDS, [g(3), g(2)]))
      .when(simple('RollBack'))
      .then(ended('rolled-back', undefined, g(3)), activated(1));
  });
  it('retiring another generation does not', () => {
    const third = generation(3, aRecipe('fake:other/4' as never));
    given(...READY, activated(2), third, ...ranges(3), built(3), started(5, DEFAULT_CANARY_THRESHOLDS, [g(3), g(2)]))
      .when({ type: 'Retire', scope: red, generation: g(1), now: NOW })
      .then(retired(1));
  });
});
