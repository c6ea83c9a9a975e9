import fc from 'fast-check';
import { aRecipe, LARGE, MINI, NOW } from '../../test/builders.ts';
import { specify } from '../../test/given-when-then.ts';
import { Conflict, KnowledgeError } from '../errors.ts';
import type { ScopeEvent } from '../events/scope-events.ts';
import { DOCUMENT_RANGES } from '../values/document-range.ts';
import { vectorScope } from '../values/scope.ts';
import { embeddingVersion, generationId, type EmbeddingVersion } from '../values/versions.ts';
import { scope, type ScopeCommand } from './scope.ts';
import { activeGeneration, openRanges } from './scope-state.ts';

const { given } = specify(scope);
const red = vectorScope('team:red');
const THIRD = embeddingVersion('onnx:third/8');
const g = (number: number) => generationId(`g${number}`);
const counts = { chunks: 3, withoutVector: 1, tokens: 30 };
const built = { chunks: 48, withoutVector: 16, upTo: '90' };

const started = (number: number, version: EmbeddingVersion, cutover?: 'manual'): ScopeEvent => ({
  type: 'GenerationStarted',
  data: { scope: red, generation: g(number), recipe: aRecipe(version), startedAt: NOW, ...(cutover ? { cutover } : {}) },
});
const embedded = (range: number, number = 2): ScopeEvent => ({
  type: 'GenerationRangeEmbedded',
  data: { scope: red, generation: g(number), range, ...counts, embeddedAt: NOW },
});
const isBuilt = (number = 2): ScopeEvent => ({
  type: 'GenerationBuilt',
  data: { scope: red, generation: g(number), ...built, builtAt: NOW },
});
const activated = (number: number): ScopeEvent => ({
  type: 'GenerationActivated',
  data: { scope: red, generation: g(number), activatedAt: NOW },
});
const retired = (number: number): ScopeEvent => ({
  type: 'GenerationRetired',
  data: { scope: red, generation: g(number), retiredAt: NOW },
});
const paused = (by: 'person' | 'platform' = 'person'): ScopeEvent => ({
  type: 'GenerationPaused',
  data: { scope: red, generation: g(2), reason: 'maintenance', by, pausedAt: NOW },
});
const resumed: ScopeEvent = { type: 'GenerationResumed', data: { scope: red, generation: g(2), resumedAt: NOW } };

type Action<C = ScopeCommand> = C extends unknown ? Omit<C, 'scope' | 'now'> : never;
const to = (action: Action): ScopeCommand => ({ ...action, scope: red, now: NOW }) as ScopeCommand;
const start = (version: EmbeddingVersion, cutover?: 'automatic' | 'manual') =>
  to({ type: 'StartGeneration', recipe: aRecipe(version), ...(cutover ? { cutover } : {}) });
const recordRange = (range: number, number = 2) => to({ type: 'RecordRange', generation: g(number), range, counts });
const recordBuilt = (number = 2) => to({ type: 'RecordBuilt', generation: g(number), counts: built });
const pause = to({ type: 'Pause', reason: 'maintenance', by: 'person' });
const [resume, cutOver, rollBack, cancel] = [
  to({ type: 'Resume' }),
  to({ type: 'CutOver' }),
  to({ type: 'RollBack' }),
  to({ type: 'Cancel' }),
];

const OPEN: readonly ScopeEvent[] = [{ type: 'ScopeOpened', data: { scope: red, openedAt: NOW } }, started(1, MINI), activated(1)];
const ALL = Array.from({ length: DOCUMENT_RANGES }, (_, range) => embedded(range));
const BUILDING = [...OPEN, started(2, LARGE, 'manual')];
const READY = [...BUILDING, ...ALL, isBuilt()];
const SWAPPED = [...READY, activated(2)];

describe('starting a swap', () => {
  it('names the past queries of its gate; the same swap with others is another one', () => {
    const recipe = aRecipe(LARGE);
    const gate = (after?: string) =>
      to({ type: 'StartGeneration', recipe, cutover: 'gate', ...(after === undefined ? {} : { pastQueries: { after } }) });
    const event = (after: string): ScopeEvent => ({
      type: 'GenerationStarted',
      data: { scope: red, generation: g(2), recipe, startedAt: NOW, cutover: 'gate', pastQueries: { after } },
    });
    given(...OPEN)
      .when(gate('90'))
      .then(event('90'));
    given(...OPEN, event('90'))
      .when(gate('90'))
      .then();
    for (const other of [gate('91'), gate()])
      given(...OPEN, event('90'))
        .when(other)
        .thenRefuses(Conflict, /already being built/);
  });

  it('records a manual cut-over, and nothing for an automatic one', () => {
    given(...OPEN)
      .when(start(LARGE, 'manual'))
      .then(started(2, LARGE, 'manual'))
      .when(start(LARGE, 'manual'))
      .then();
    given(...OPEN)
      .when(start(LARGE, 'automatic'))
      .then(started(2, LARGE))
      .when(start(LARGE))
      .then();
  });
  it('is refused while another swap is running or waits for its cut-over, also to the same model in another way', () => {
    given(...BUILDING)
      .when(start(THIRD))
      .thenRefuses(Conflict, /g2 \(.*, manual cut-over\) .* is already being built: finish or cancel/);
    given(...BUILDING)
      .when(start(LARGE))
      .thenRefuses(Conflict, /already being built/);
    given(...READY)
      .when(start(THIRD))
      .thenRefuses(Conflict, /g2 .* is built and waits for its cut-over/);
  });
  it('is possible again after a cancellation and after a cut-over', () => {
    given(...READY, retired(2))
      .when(start(THIRD))
      .then(started(3, THIRD));
    given(...SWAPPED)
      .when(start(THIRD))
      .then(started(3, THIRD));
  });
});

describe('a roll back', () => {
  it('returns to the generation that served before, not to a newer one that was rolled back', () => {
    const third = [started(3, THIRD, 'manual'), ...ALL.map((_, range) => embedded(range, 3)), isBuilt(3), activated(3)];
    given(...SWAPPED, activated(1), ...third)
      .when(rollBack)
      .then(activated(1));
    // It was rolled back from the second generation later on, so that one served before.
    given(...SWAPPED, ...third)
      .when(rollBack)
      .then(activated(2))
      .when(rollBack)
      .then(activated(1));
    // Without the one that served before, the newest one that is left.
    given(...SWAPPED, activated(1), ...third, retired(1))
      .when(rollBack)
      .then(activated(2));
  });
});

describe('building', () => {
  it('records each range once, also while the swap is paused', () => {
    given(...BUILDING)
      .when(recordRange(7))
      .then(embedded(7))
      .when(recordRange(7))
      .then();
    given(...BUILDING, paused())
      .when(recordRange(7))
      .then(embedded(7));
    given(...BUILDING, embedded(0))
      .when(recordRange(1))
      .thenState(({ swap }) => {
        expect(swap && openRanges(swap)).toEqual(Array.from({ length: DOCUMENT_RANGES - 2 }, (_, i) => i + 2));
      });
  });
  it('has the ranges that it was started with, also after a pause', () => {
    const data = { scope: red, generation: g(2), recipe: aRecipe(LARGE), startedAt: NOW, ranges: 64 };
    const started64: ScopeEvent = { type: 'GenerationStarted', data };
    given(...OPEN)
      .when(to({ type: 'StartGeneration', recipe: aRecipe(LARGE), ranges: 64 }))
      .then(started64);
    given(...OPEN, started64, ...ALL)
      .when(recordBuilt())
      .then()
      .when(recordRange(63))
      .thenState(({ swap }) => expect(swap && openRanges(swap)).toEqual(Array.from({ length: 47 }, (_, i) => i + 16)));
    given(...OPEN, started64, paused())
      .when(resume)
      .then({ type: 'GenerationResumed', data: { scope: red, generation: g(2), resumedAt: NOW, ranges: 64 } });
  });
  it('ignores ranges of a generation that is no longer being built', () => {
    given(...OPEN)
      .when(recordRange(7, 1))
      .then();
    given(...BUILDING, retired(2))
      .when(recordRange(7))
      .then();
    given(...READY)
      .when(recordRange(7))
      .then();
  });
  it('is complete once all ranges are, and waits for a manual cut-over', () => {
    given(...BUILDING, ...ALL.slice(1))
      .when(recordBuilt())
      .then();
    given(...BUILDING, ...ALL, paused())
      .when(recordBuilt())
      .then();
    given(...BUILDING, ...ALL)
      .when(recordBuilt())
      .then(isBuilt())
      .when(recordBuilt())
      .then();
  });
  it('activates the generation together with an automatic cut-over', () =>
    void given(...OPEN, started(2, LARGE), ...ALL)
      .when(recordBuilt())
      .then(isBuilt(), activated(2)));
});

describe('pausing', () => {
  it('records the reason once, and resuming ends it', () => {
    given(...BUILDING)
      .when(pause)
      .then(paused())
      .when(pause)
      .then()
      .when(resume)
      .then(resumed)
      .when(resume)
      .then();
    given(...BUILDING)
      .when(to({ type: 'Pause', reason: 'maintenance', by: 'platform', generation: g(2) }))
      .then(paused('platform'));
  });
  it('counts the time of each run, without the pauses', () =>
    given(...BUILDING, paused(), resumed)
      .when(recordRange(0))
      .thenState(({ swap }) => expect(swap?.runs).toHaveLength(2)));
  it('is refused if nothing is being built', () => {
    given(...OPEN)
      .when(pause)
      .thenRefuses(Conflict, /no generation of scope "team:red" is being built/);
    given(...READY)
      .when(pause)
      .thenRefuses(Conflict, /g2 .* is built already/);
    given(...SWAPPED)
      .when(resume)
      .thenRefuses(Conflict, /no generation/);
    given(...BUILDING)
      .when(to({ type: 'Pause', reason: 'x', by: 'platform', generation: g(3) }))
      .thenRefuses(Conflict);
  });
});

describe('cutting over', () => {
  it('activates a built generation, once', () =>
    void given(...READY)
      .when(cutOver)
      .then(activated(2)));
  it('names what is missing', () => {
    given(...BUILDING, embedded(0))
      .when(cutOver)
      .thenRefuses(Conflict, /not built: 15 of 16 ranges of documents are not embedded yet$/);
    given(...BUILDING, ...ALL)
      .when(cutOver)
      .thenRefuses(Conflict, /the final check for missing vectors is not complete/);
    given(...BUILDING, paused())
      .when(cutOver)
      .thenRefuses(Conflict, /the swap is paused/);
    given(...BUILDING)
      .when(to({ type: 'Activate', generation: g(2) }))
      .thenRefuses(Conflict, /not built/);
    given(...OPEN)
      .when(cutOver)
      .thenRefuses(Conflict, /start a swap first/);
    given(...READY, retired(2))
      .when(cutOver)
      .thenRefuses(Conflict, /start a swap first/);
    given(...SWAPPED)
      .when(cutOver)
      .thenRefuses(Conflict, /start a swap first/);
  });
});

describe('rolling back', () => {
  it('activates the previous generation, and the cut-over can be repeated', () =>
    void given(...SWAPPED)
      .when(rollBack)
      .then(activated(1))
      .when(cutOver)
      .then(activated(2)));
  it('is refused without a previous generation, and after it was retired', () => {
    given(...READY)
      .when(rollBack)
      .thenRefuses(Conflict, /no earlier generation/);
    given(...SWAPPED, retired(1))
      .when(rollBack)
      .thenRefuses(Conflict, /g1 .* is retired .* start a swap to/);
    given(...SWAPPED, activated(1))
      .when(rollBack)
      .thenRefuses(Conflict, /no earlier generation/);
  });
});

describe('cancelling', () => {
  it('retires a generation that was never active', () => {
    for (const history of [BUILDING, [...BUILDING, paused()], READY])
      given(...history)
        .when(cancel)
        .then(retired(2));
  });
  it('is refused without a swap, and after the cut-over', () => {
    given(...OPEN)
      .when(cancel)
      .thenRefuses(Conflict, /no swap/);
    given(...SWAPPED)
      .when(cancel)
      .thenRefuses(Conflict, /roll back and retire instead/);
  });
});

describe('any sequence of commands', () => {
  const version = fc.constantFrom(MINI, LARGE, THIRD);
  const number = fc.integer({ min: 1, max: 4 });
  const command: fc.Arbitrary<readonly ScopeCommand[]> = fc.oneof(
    fc.tuple(version, fc.constantFrom('automatic' as const, 'manual' as const)).map(([to_, cutover]) => [start(to_, cutover)]),
    number.map((of) => Array.from({ length: DOCUMENT_RANGES }, (_, range) => recordRange(range, of))),
    fc.tuple(number, fc.integer({ min: 0, max: DOCUMENT_RANGES - 1 })).map(([of, range]) => [recordRange(range, of)]),
    number.map((of) => [recordBuilt(of)]),
    number.map((of) => [to({ type: 'Activate', generation: g(of) })]),
    number.map((of) => [to({ type: 'Retire', generation: g(of) })]),
    fc.constantFrom(pause, resume, cutOver, rollBack, cancel).map((one) => [one]),
  );

  it('leaves exactly one active generation, which was built, and at most one that is coming', () =>
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        let state = OPEN.reduce((before, event, i) => scope.evolve(before, event, i), scope.initial());
        const complete = new Set([g(1)]);
        for (const one of commands.flat()) {
          let events: readonly ScopeEvent[] = [];
          try {
            events = scope.decide(one, state);
          } catch (error) {
            expect(error).toBeInstanceOf(KnowledgeError);
          }
          for (const event of events) {
            state = scope.evolve(state, event, 0);
            if (event.type === 'GenerationBuilt') complete.add(event.data.generation);
            expect(state.generations.filter(({ status }) => status === 'active')).toHaveLength(1);
            expect(complete).toContain(activeGeneration(state)?.id);
            expect(state.generations.filter(({ status }) => status === 'building' || status === 'ready').length).toBeLessThanOrEqual(1);
          }
        }
      }),
      { numRuns: 500 },
    ));
});
