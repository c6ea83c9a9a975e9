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
export type { TenantErasure, TenantErasureCommand } from '../deciders/tenant-erasure.ts';
export type { TenantErased, TenantErasureCompleted, TenantErasureEvent, TenantErasureRequested } from '../events/tenant-erasure-events.ts';
