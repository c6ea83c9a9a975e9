import { Conflict, NotFound, unreachable } from '../errors.ts';
import type { ScopeEvent } from '../events/scope-events.ts';
import type { VectorScope } from '../values/scope.ts';
import { chunkListOf, type Recipe } from '../values/recipe.ts';
import { generationId, type EmbeddingVersion, type GenerationId } from '../values/versions.ts';
import type { Decider } from './decider.ts';

export type ScopeCommand =
  /** Creates the scope with a first active generation, unless it exists. */
  | Readonly<{ type: 'Open'; scope: VectorScope; recipe: Recipe; now: string }>
  /** Starts a generation with another model or chunking alongside the active one. */
  | Readonly<{ type: 'StartGeneration'; scope: VectorScope; recipe: Recipe; now: string }>
  | Readonly<{ type: 'Activate'; scope: VectorScope; generation: GenerationId; now: string }>
  | Readonly<{ type: 'Retire'; scope: VectorScope; generation: GenerationId; now: string }>;

/** `embeddingVersion`: that of the recipe. */
export type Generation = Readonly<{
  id: GenerationId;
  embeddingVersion: EmbeddingVersion;
  recipe: Recipe;
  status: 'building' | 'active' | 'standby' | 'retired';
}>;

export type Scope = Readonly<{ opened: boolean; generations: readonly Generation[] }>;

export const activeGeneration = (scope: Scope): Generation | undefined => scope.generations.find(({ status }) => status === 'active');

/** Generations that new chunks are written to: active, building, and standby (kept for a rollback). */
export const liveGenerations = (scope: Scope): readonly Generation[] => scope.generations.filter(({ status }) => status !== 'retired');

const find = (state: Scope, id: GenerationId): Generation => {
  const found = state.generations.find((generation) => generation.id === id);
  if (!found) throw new NotFound('generation', id);
  return found;
};

/** Whether one recipe gives the same chunks and comparable vectors as another. Recipes of earlier versions say no more than that. */
const isEquivalent = (a: Recipe, b: Recipe): boolean =>
  a.embedding.version === b.embedding.version && chunkListOf(a.chunking) === chunkListOf(b.chunking);

const nextId = (state: Scope): GenerationId => generationId(`g${state.generations.length + 1}`);

const decide = (command: ScopeCommand, state: Scope): readonly ScopeEvent[] => {
  const { scope, now } = command;
  switch (command.type) {
    case 'Open': {
      if (state.opened) return [];
      const generation = nextId(state);
      return [
        { type: 'ScopeOpened', data: { scope, openedAt: now } },
        { type: 'GenerationStarted', data: { scope, generation, recipe: command.recipe, startedAt: now } },
        { type: 'GenerationActivated', data: { scope, generation, activatedAt: now } },
      ];
    }
    case 'StartGeneration': {
      if (!state.opened) throw new NotFound('scope', scope);
      const { recipe } = command;
      const building = state.generations.find(({ status }) => status === 'building');
      if ([building, activeGeneration(state)].some((generation) => generation && isEquivalent(generation.recipe, recipe))) return [];
      if (building)
        throw new Conflict(`generation ${building.id} (${building.embeddingVersion}) of scope "${scope}" is already being built`);
      return [{ type: 'GenerationStarted', data: { scope, generation: nextId(state), recipe, startedAt: now } }];
    }
    case 'Activate': {
      const { generation } = command;
      const { status } = find(state, generation);
      if (status === 'active') return [];
      if (status === 'retired') throw new Conflict(`generation ${generation} of scope "${scope}" is retired`);
      return [{ type: 'GenerationActivated', data: { scope, generation, activatedAt: now } }];
    }
    case 'Retire': {
      const { generation } = command;
      const { status } = find(state, generation);
      if (status === 'retired') return [];
      if (status === 'active') throw new Conflict(`generation ${generation} of scope "${scope}" is active: activate another one first`);
      return [{ type: 'GenerationRetired', data: { scope, generation, retiredAt: now } }];
    }
    default:
      return unreachable(command);
  }
};

const evolve = (state: Scope, event: ScopeEvent): Scope => {
  const change = (status: (generation: Generation) => Generation['status']): Scope => ({
    ...state,
    generations: state.generations.map((generation) => ({ ...generation, status: status(generation) })),
  });
  switch (event.type) {
    case 'ScopeOpened':
      return { ...state, opened: true };
    case 'GenerationStarted': {
      const { generation: id, recipe } = event.data;
      return {
        ...state,
        generations: [...state.generations, { id, embeddingVersion: recipe.embedding.version, recipe, status: 'building' }],
      };
    }
    case 'GenerationActivated':
      return change(({ id, status }) => (id === event.data.generation ? 'active' : status === 'active' ? 'standby' : status));
    case 'GenerationRetired':
      return change(({ id, status }) => (id === event.data.generation ? 'retired' : status));
    default:
      return unreachable(event);
  }
};

/** The generations of one scope: at most one active, at most one being built. */
export const scope: Decider<ScopeCommand, Scope, ScopeEvent> = { initial: () => ({ opened: false, generations: [] }), decide, evolve };
