export type { Erasure, ErasureCommand, Hold } from '../deciders/scope-erasure.ts';
export type {
  ErasureEvent,
  ScopeErased,
  ScopeErasureCompleted,
  ScopeErasureRequested,
  ScopeHeld,
  ScopeReleased,
} from '../events/erasure-events.ts';
export { subjectErasure, type SubjectErasure, type SubjectErasureCommand } from '../deciders/subject-erasure.ts';
export type { SubjectErased, SubjectErasureCompleted, SubjectErasureRequested, SubjectEvent } from '../events/subject-events.ts';
export { subjectStream } from '../streams.ts';
