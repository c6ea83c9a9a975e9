import type { VectorScope } from '../values/scope.ts';
import type { EmbeddingVersion, GenerationId } from '../values/versions.ts';
import type { Event } from './event.ts';

export type ScopeOpened = Event<'ScopeOpened', { scope: VectorScope; openedAt: string }>;
/** From here on the generation is built: new chunks get a vector of its version as well. */
export type GenerationStarted = Event<
  'GenerationStarted',
  { scope: VectorScope; generation: GenerationId; embeddingVersion: EmbeddingVersion; startedAt: string }
>;
/** The switch: queries ask this generation from here on; the one before stays fed until it is retired. */
export type GenerationActivated = Event<
  'GenerationActivated',
  { scope: VectorScope; generation: GenerationId; activatedAt: string }
>;
export type GenerationRetired = Event<'GenerationRetired', { scope: VectorScope; generation: GenerationId; retiredAt: string }>;

export type ScopeEvent = ScopeOpened | GenerationStarted | GenerationActivated | GenerationRetired;
