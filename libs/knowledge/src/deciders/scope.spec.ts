import { LARGE, MINI, NOW } from '../../test/builders.ts';
import { specify } from '../../test/given-when-then.ts';
import { Conflict, NotFound } from '../errors.ts';
import type { ScopeEvent } from '../events/scope-events.ts';
import { vectorScope } from '../values/scope.ts';
import { embeddingVersion, generationId, type EmbeddingVersion } from '../values/versions.ts';
import { activeGeneration, liveGenerations, scope, type ScopeCommand } from './scope.ts';

const { given } = specify(scope);
const red = vectorScope('team:red');
const g = (number: number) => generationId(`g${number}`);

const opened: ScopeEvent = { type: 'ScopeOpened', data: { scope: red, openedAt: NOW } };
const started = (number: number, version: EmbeddingVersion): ScopeEvent => ({ type: 'GenerationStarted', data: { scope: red, generation: g(number), embeddingVersion: version, startedAt: NOW } });
const activated = (number: number): ScopeEvent => ({ type: 'GenerationActivated', data: { scope: red, generation: g(number), activatedAt: NOW } });
const retired = (number: number): ScopeEvent => ({ type: 'GenerationRetired', data: { scope: red, generation: g(number), retiredAt: NOW } });

const open = (version = MINI): ScopeCommand => ({ type: 'Open', scope: red, embeddingVersion: version, now: NOW });
const startGeneration = (version: EmbeddingVersion): ScopeCommand => ({ type: 'StartGeneration', scope: red, embeddingVersion: version, now: NOW });
const activate = (number: number): ScopeCommand => ({ type: 'Activate', scope: red, generation: g(number), now: NOW });
const retire = (number: number): ScopeCommand => ({ type: 'Retire', scope: red, generation: g(number), now: NOW });

const OPEN = [opened, started(1, MINI), activated(1)];
const SWAPPED = [...OPEN, started(2, LARGE), activated(2)];

describe('a scope', () => {
  it('opens once, with a first active generation, whatever model is asked for later', () => void given().when(open()).then(...OPEN).when(open(LARGE)).then());

  it('starts a generation of another model beside the active one, once', () => void given(...OPEN).when(startGeneration(LARGE)).then(started(2, LARGE)).when(startGeneration(LARGE)).then());
  it('starts none of the model that it has', () => void given(...OPEN).when(startGeneration(MINI)).then());
  it('builds one generation at a time', () => given(...OPEN, started(2, LARGE)).when(startGeneration(embeddingVersion('onnx:third/8'))).thenRefuses(Conflict, /g2 .* is being built already/));
  it('never uses a number again', () => void given(...SWAPPED, retired(1)).when(startGeneration(MINI)).then(started(3, MINI)));
  it('must be opened first', () => given().when(startGeneration(MINI)).thenRefuses(NotFound));

  it('switches by one event, and back', () => {
    given(...OPEN, started(2, LARGE)).when(activate(2)).then(activated(2)).when(activate(1)).then(activated(1)).when(activate(1)).then();
  });
  it('has exactly one active generation, and keeps the one before fed until it is retired', () => {
    given(...OPEN, started(2, LARGE)).when(activate(2)).thenState((state) => {
      expect(activeGeneration(state)?.id).toBe('g2');
      expect(state.generations.map(({ status }) => status)).toEqual(['standby', 'active']);
      expect(liveGenerations(state).map(({ id }) => id)).toEqual(['g1', 'g2']);
    });
    given(...SWAPPED).when(retire(1)).thenState((state) => expect(liveGenerations(state).map(({ id }) => id)).toEqual(['g2']));
  });

  it('retires what is not active, once', () => void given(...SWAPPED).when(retire(1)).then(retired(1)).when(retire(1)).then());
  it('gives up a generation that is being built', () => void given(...OPEN, started(2, LARGE)).when(retire(2)).then(retired(2)).when(startGeneration(LARGE)).then(started(3, LARGE)));
  it('retires neither the active one nor one that is not there', () => {
    given(...OPEN).when(retire(1)).thenRefuses(Conflict, /activate another one first/);
    given(...OPEN).when(retire(7)).thenRefuses(NotFound);
  });
  it('goes back to no retired generation', () => {
    given(...SWAPPED, retired(1)).when(activate(1)).thenRefuses(Conflict, /is retired/);
    given(...OPEN).when(activate(7)).thenRefuses(NotFound);
  });
});
