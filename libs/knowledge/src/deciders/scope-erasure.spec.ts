import { NOW } from '../../test/builders.ts';
import { specify } from '../../test/given-when-then.ts';
import { Conflict, NotFound } from '../errors.ts';
import type { ScopeEvent } from '../events/scope-events.ts';
import { ScopeKeyDestroyed } from '../ports/scope-keys.ts';
import { embeddingVersion, generationId } from '../values/versions.ts';
import { recipeWith } from '../values/recipe.ts';
import { vectorScope } from '../values/scope.ts';
import { scope } from './scope.ts';

const { given } = specify(scope);
const RED = vectorScope('team:red');
const [g1, g2] = [generationId('g1'), generationId('g2')];
const recipe = recipeWith({ version: embeddingVersion('fake:small/4') });
const erasure = '0f8fad5b-d9cb-469f-a165-70867728950e';
const opened: readonly ScopeEvent[] = [
  { type: 'ScopeOpened', data: { scope: RED, openedAt: NOW } },
  { type: 'GenerationStarted', data: { scope: RED, generation: g1, recipe, startedAt: NOW } },
  { type: 'GenerationActivated', data: { scope: RED, generation: g1, activatedAt: NOW } },
];
const swapping: ScopeEvent = { type: 'GenerationStarted', data: { scope: RED, generation: g2, recipe, startedAt: NOW } };
const retired = (generation: typeof g1): ScopeEvent => ({ type: 'GenerationRetired', data: { scope: RED, generation, retiredAt: NOW } });
const requested: ScopeEvent = { type: 'ScopeErasureRequested', data: { scope: RED, erasure, requestedAt: NOW } };
const erased: ScopeEvent = { type: 'ScopeErased', data: { scope: RED, erasure, erasedAt: NOW } };
const completed: ScopeEvent = { type: 'ScopeErasureCompleted', data: { scope: RED, erasure, receipt: '{}', completedAt: NOW } };
const held: ScopeEvent = { type: 'ScopeHeld', data: { scope: RED, reason: 'case 17', heldAt: NOW } };

const request = { type: 'RequestErasure', scope: RED, erasure, now: NOW } as const;
const record = { type: 'RecordErased', scope: RED, now: NOW } as const;
const complete = { type: 'CompleteErasure', scope: RED, receipt: '{}', now: NOW } as const;

describe('the erasure of a scope', () => {
  it('is requested, happens and is completed once each', () =>
    void given(...opened)
      .when(request)
      .then(requested)
      .when({ ...request, erasure: 'another' })
      .then()
      .when(record)
      .then(retired(g1), erased)
      .when(record)
      .then()
      .when(complete)
      .then(completed)
      .when(complete)
      .then());

  it('ends a swap of the scope', () =>
    void given(...opened, swapping, requested)
      .when(record)
      .then(retired(g1), retired(g2), erased));

  it('happens in this order only', () =>
    void given(...opened)
      .when(record)
      .then()
      .when(complete)
      .then());

  it('needs a scope', () =>
    given()
      .when(request)
      .thenRefuses(NotFound, /team:red/));

  it.each([
    { type: 'Open', scope: RED, recipe, now: NOW },
    { type: 'StartGeneration', scope: RED, recipe, now: NOW },
    { type: 'Hold', scope: RED, reason: 'late', now: NOW },
  ] as const)('leaves nothing else to do with the scope: $type', (command) => {
    for (const history of [[requested], [requested, retired(g1), erased], [requested, retired(g1), erased, completed]])
      given(...opened, ...history)
        .when(command)
        .thenRefuses(ScopeKeyDestroyed, /team:red.*was erased/);
  });
});

describe('a scope that is held', () => {
  it('cannot be erased until it is released', () => {
    given(...opened, held)
      .when(request)
      .thenRefuses(Conflict, /held/);
    given(...opened, held)
      .when({ type: 'Release', scope: RED, now: NOW })
      .then({ type: 'ScopeReleased', data: { scope: RED, releasedAt: NOW } })
      .when(request)
      .then(requested);
  });

  it('is held once for the same reason, and released once', () =>
    void given(...opened)
      .when({ type: 'Release', scope: RED, now: NOW })
      .then()
      .when({ type: 'Hold', scope: RED, reason: 'case 17', now: NOW })
      .then(held)
      .when({ type: 'Hold', scope: RED, reason: 'case 17', now: NOW })
      .then());
});
