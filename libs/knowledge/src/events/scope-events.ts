import type { VectorScope } from '../values/scope.ts';
import type { Recipe } from '../values/recipe.ts';
import type { GenerationId } from '../values/versions.ts';
import type { Event } from './event.ts';
import type { ReadersOf } from './readers.ts';

export type ScopeOpened = Event<'ScopeOpened', { scope: VectorScope; openedAt: string }>;
/** The generation is being built: from now on, new chunks also get a vector of its version. */
export type GenerationStarted = Event<
  'GenerationStarted',
  { scope: VectorScope; generation: GenerationId; recipe: Recipe; startedAt: string }
>;
/** Queries use this generation from now on. The previous one is kept up to date until it is retired. */
export type GenerationActivated = Event<'GenerationActivated', { scope: VectorScope; generation: GenerationId; activatedAt: string }>;
export type GenerationRetired = Event<'GenerationRetired', { scope: VectorScope; generation: GenerationId; retiredAt: string }>;

export type ScopeEvent = ScopeOpened | GenerationStarted | GenerationActivated | GenerationRetired;

/** The projections that read each type. */
export const SCOPE_READERS = {
  ScopeOpened: ['event-views'],
  GenerationStarted: ['generations', 'catalog', 'relay', 'event-views'],
  GenerationActivated: ['generations', 'catalog', 'event-views'],
  GenerationRetired: ['generations', 'catalog', 'event-views'],
} as const satisfies ReadersOf<ScopeEvent>;
