export type { Erasure, ErasureCommand, Hold } from '../deciders/scope-erasure.ts';
export type {
  ErasureEvent,
  ScopeErased,
  ScopeErasureCompleted,
  ScopeErasureRequested,
  ScopeHeld,
  ScopeReleased,
} from '../events/erasure-events.ts';
