import type { VectorScope } from '../values/scope.ts';
import type { Event } from './event.ts';

/** A scope must not be erased for now, for example because of a lawsuit. */
export type ScopeHeld = Event<'ScopeHeld', { scope: VectorScope; reason: string; heldAt: string }>;
export type ScopeReleased = Event<'ScopeReleased', { scope: VectorScope; releasedAt: string }>;

/** From here on, nothing can be added to the scope, and its erasure cannot be stopped. `erasure`: the id of the erasure. */
export type ScopeErasureRequested = Event<'ScopeErasureRequested', { scope: VectorScope; erasure: string; requestedAt: string }>;
/** The key of the scope is destroyed: what it sealed cannot be read any more, anywhere. Read models contain nothing of the scope from here on. */
export type ScopeErased = Event<'ScopeErased', { scope: VectorScope; erasure: string; erasedAt: string }>;
/** Everything that was derived from the scope is removed. `receipt`: the signed receipt, as canonical JSON. */
export type ScopeErasureCompleted = Event<
  'ScopeErasureCompleted',
  { scope: VectorScope; erasure: string; receipt: string; completedAt: string }
>;

export type ErasureEvent = ScopeHeld | ScopeReleased | ScopeErasureRequested | ScopeErased | ScopeErasureCompleted;
