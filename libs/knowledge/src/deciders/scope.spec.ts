import { aRecipe, LARGE, MINI, NOW } from '../../test/builders.ts';
import { specify } from '../../test/given-when-then.ts';
import { Conflict, NotFound } from '../errors.ts';
import type { ScopeEvent } from '../events/scope-events.ts';
import { DOCUMENT_RANGES } from '../values/document-range.ts';
import { vectorScope } from '../values/scope.ts';
import { embeddingVersion, generationId, type EmbeddingVersion } from '../values/versions.ts';
import { scope, type ScopeCommand } from './scope.ts';
import { activeGeneration, liveGenerations } from './scope-state.ts';

const { given } = specify(scope);
const red = vectorScope('team:red');
const g = (number: number) => generationId(`g${number}`);

const opened: ScopeEvent = { type: 'ScopeOpened', data: { scope: red, openedAt: NOW } };
const started = (number: number, version: EmbeddingVersion): ScopeEvent => ({
  type: 'GenerationStarted',
  data: { scope: red, generation: g(number), recipe: aRecipe(version), startedAt: NOW },
});
const embedded = (number: number): readonly ScopeEvent[] =>
  Array.from({ length: DOCUMENT_RANGES }, (_, range) => ({
    type: 'GenerationRangeEmbedded',
    data: { scope: red, generation: g(number), range, chunks: 0, withoutVector: 0, tokens: 0, embeddedAt: NOW },
  }));
const built = (number: number): ScopeEvent => ({
  type: 'GenerationBuilt',
  data: { scope: red, generation: g(number), chunks: 0, withoutVector: 0, upTo: '1', builtAt: NOW },
});
const activated = (number: number): ScopeEvent => ({
  type: 'GenerationActivated',
  data: { scope: red, generation: g(number), activatedAt: NOW },
});
const retired = (number: number): ScopeEvent => ({
  type: 'GenerationRetired',
  data: { scope: red, generation: g(number), retiredAt: NOW },
});

const open = (version = MINI): ScopeCommand => ({ type: 'Open', scope: red, recipe: aRecipe(version), now: NOW });
const startGeneration = (version: EmbeddingVersion): ScopeCommand => ({
  type: 'StartGeneration',
  scope: red,
  recipe: aRecipe(version),
  now: NOW,
});
const activate = (number: number): ScopeCommand => ({ type: 'Activate', scope: red, generation: g(number), now: NOW });
const retire = (number: number): ScopeCommand => ({ type: 'Retire', scope: red, generation: g(number), now: NOW });

const OPEN = [opened, started(1, MINI), activated(1)];
const SWAPPED = [...OPEN, started(2, LARGE), activated(2)];

describe('a scope', () => {
  it('opens once with a first active generation, and ignores other models afterwards', () =>
    void given()
      .when(open())
      .then(...OPEN)
      .when(open(LARGE))
      .then());

  it('starts a generation of another model alongside the active one, once', () =>
    void given(...OPEN)
      .when(startGeneration(LARGE))
      .then(started(2, LARGE))
      .when(startGeneration(LARGE))
      .then());
  it('starts no generation of its current model', () =>
    void given(...OPEN)
      .when(startGeneration(MINI))
      .then());
  it('builds one generation at a time', () =>
    given(...OPEN, started(2, LARGE))
      .when(startGeneration(embeddingVersion('onnx:third/8')))
      .thenRefuses(Conflict, /g2 .* is already being built/));
  it('never reuses a number', () =>
    void given(...SWAPPED, retired(1))
      .when(startGeneration(MINI))
      .then(started(3, MINI)));
  it('must be opened first', () => given().when(startGeneration(MINI)).thenRefuses(NotFound));

  it('switches with one event, and back', () => {
    given(...OPEN, started(2, LARGE), ...embedded(2), built(2))
      .when(activate(2))
      .then(activated(2))
      .when(activate(1))
      .then(activated(1))
      .when(activate(1))
      .then();
  });
  it('has exactly one active generation, and keeps the previous one up to date until it is retired', () => {
    given(...OPEN, started(2, LARGE), ...embedded(2), built(2))
      .when(activate(2))
      .thenState((state) => {
        expect(activeGeneration(state)?.id).toBe('g2');
        expect(state.generations.map(({ status }) => status)).toEqual(['standby', 'active']);
        expect(liveGenerations(state).map(({ id }) => id)).toEqual(['g1', 'g2']);
      });
    given(...SWAPPED)
      .when(retire(1))
      .thenState((state) => expect(liveGenerations(state).map(({ id }) => id)).toEqual(['g2']));
  });

  it('retires an inactive generation, once', () =>
    void given(...SWAPPED)
      .when(retire(1))
      .then(retired(1))
      .when(retire(1))
      .then());
  it('retires a generation that is being built', () =>
    void given(...OPEN, started(2, LARGE))
      .when(retire(2))
      .then(retired(2))
      .when(startGeneration(LARGE))
      .then(started(3, LARGE)));
  it('retires neither the active generation nor an unknown one', () => {
    given(...OPEN)
      .when(retire(1))
      .thenRefuses(Conflict, /activate another one first/);
    given(...OPEN)
      .when(retire(7))
      .thenRefuses(NotFound);
  });
  it('does not reactivate a retired generation', () => {
    given(...SWAPPED, retired(1))
      .when(activate(1))
      .thenRefuses(Conflict, /is retired/);
    given(...OPEN)
      .when(activate(7))
      .thenRefuses(NotFound);
  });
});
