import { aRecipe, LARGE, MINI, NOW } from '../../test/builders.ts';
import { specify } from '../../test/given-when-then.ts';
import { Conflict, InvalidValue } from '../errors.ts';
import type { ScopeEvent } from '../events/scope-events.ts';
import { DEFAULT_CANARY_THRESHOLDS } from '../values/canary-thresholds.ts';
import { DOCUMENT_RANGES } from '../values/document-range.ts';
import { recipeWith } from '../values/recipe.ts';
import { vectorScope } from '../values/scope.ts';
import { embeddingVersion, generationId, type EmbeddingVersion } from '../values/versions.ts';
import { evaluable } from './scope-evaluation.ts';
import { scope, type ScopeCommand } from './scope.ts';

const { given } = specify(scope);
const red = vectorScope('team:red');
const THIRD = embeddingVersion('onnx:third/8');
const g = (number: number) => generationId(`g${number}`);
const COUNTS = { chunks: 48, withoutVector: 16, upTo: '90' };

const started = (number: number, version: EmbeddingVersion, cutover?: 'companion'): ScopeEvent => ({
  type: 'GenerationStarted',
  data: { scope: red, generation: g(number), recipe: aRecipe(version), startedAt: NOW, ...(cutover ? { cutover } : {}) },
});
const activated = (number: number): ScopeEvent => ({
  type: 'GenerationActivated',
  data: { scope: red, generation: g(number), activatedAt: NOW },
});
const retired = (number: number): ScopeEvent => ({
  type: 'GenerationRetired',
  data: { scope: red, generation: g(number), retiredAt: NOW },
});
const rangesOf = (number: number): readonly ScopeEvent[] =>
  Array.from({ length: DOCUMENT_RANGES }, (_, range) => ({
    type: 'GenerationRangeEmbedded',
    data: { scope: red, generation: g(number), range, chunks: 3, withoutVector: 1, tokens: 30, embeddedAt: NOW },
  }));
const built = (number: number, companion?: true): ScopeEvent => ({
  type: 'GenerationBuilt',
  data: { scope: red, generation: g(number), ...COUNTS, builtAt: NOW, ...(companion ? { companion } : {}) },
});

type Action<C = ScopeCommand> = C extends unknown ? Omit<C, 'scope' | 'now'> : never;
const to = (action: Action): ScopeCommand => ({ ...action, scope: red, now: NOW }) as ScopeCommand;
const start = (version: EmbeddingVersion, cutover?: 'companion') =>
  to({ type: 'StartGeneration', recipe: aRecipe(version), ...(cutover ? { cutover } : {}) });
const retire = (number: number) => to({ type: 'Retire', generation: g(number) });
const [cutOver, rollBack, cancel] = [to({ type: 'CutOver' }), to({ type: 'RollBack' }), to({ type: 'Cancel' })];

const OPEN: readonly ScopeEvent[] = [{ type: 'ScopeOpened', data: { scope: red, openedAt: NOW } }, started(1, MINI), activated(1)];
const BUILDING = [...OPEN, started(2, LARGE, 'companion'), ...rangesOf(2)];
const KEPT = [...BUILDING, built(2, true)];

describe('a companion', () => {
  it('is built like any generation, and kept alongside the active one', () => {
    given(...OPEN)
      .when(start(LARGE, 'companion'))
      .then(started(2, LARGE, 'companion'));
    given(...BUILDING)
      .when(to({ type: 'RecordBuilt', generation: g(2), counts: COUNTS }))
      .then(built(2, true));
    given(...KEPT)
      .when(start(LARGE, 'companion'))
      .thenState(({ generations }) =>
        expect(generations).toMatchObject([{ status: 'active' }, { status: 'companion', embeddingVersion: LARGE }]),
      );
  });
  it('is there once: the same request changes nothing, and another model is refused until it is retired', () => {
    given(...KEPT)
      .when(start(LARGE, 'companion'))
      .then();
    given(...KEPT)
      .when(start(THIRD, 'companion'))
      .thenRefuses(Conflict, /has the companion g2 .* retire it before another one/);
    given(...KEPT)
      .when(retire(2))
      .then(retired(2))
      .when(start(THIRD, 'companion'))
      .then(started(3, THIRD, 'companion'));
  });
  it('needs another model than the active generation, and the same chunks', () => {
    given(...OPEN)
      .when(start(MINI, 'companion'))
      .thenRefuses(Conflict, /is searched with the model .*: a companion needs another one/);
    const chunking = { ...aRecipe(LARGE).chunking, settings: { markdown: { chunkSize: 100 } } as never };
    given(...OPEN)
      .when(to({ type: 'StartGeneration', recipe: recipeWith({ version: LARGE }, undefined, chunking), cutover: 'companion' }))
      .thenRefuses(InvalidValue, /chunking.*has the chunks of the active generation/);
  });
  it('can be cancelled while it is built, and then only be retired', () => {
    given(...BUILDING)
      .when(cancel)
      .then(retired(2));
    given(...KEPT)
      .when(cancel)
      .thenRefuses(Conflict, /no swap/);
  });
  it('is never activated', () => {
    given(...KEPT)
      .when(cutOver)
      .thenRefuses(Conflict, /no generation to cut over to/);
    given(...KEPT)
      .when(to({ type: 'Activate', generation: g(2) }))
      .thenRefuses(Conflict, /g2 .* is a companion: start a swap to its model/);
    given(...KEPT)
      .when(to({ type: 'StartCanary', share: 5, thresholds: DEFAULT_CANARY_THRESHOLDS }))
      .thenRefuses(Conflict, /no built generation for a canary/);
    given(...KEPT)
      .when(start(LARGE, 'companion'))
      .thenState((state) => expect(() => evaluable(state, red)).toThrow(/no second generation/));
  });
  it('stays through a swap of the active generation, which rolls back past it', () => {
    const moved = [...KEPT, started(3, THIRD), ...rangesOf(3), built(3), activated(3)];
    given(...KEPT)
      .when(start(THIRD))
      .then(started(3, THIRD));
    given(...moved)
      .when(rollBack)
      .then(activated(1));
    given(...moved, retired(1))
      .when(rollBack)
      .thenRefuses(Conflict, /g1 .* is retired .* start a swap to/);
    given(...moved)
      .when(start(LARGE, 'companion'))
      .thenState(({ generations }) => expect(generations.map(({ status }) => status)).toEqual(['standby', 'companion', 'active']));
  });
});
