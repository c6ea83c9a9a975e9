import type { VectorScope } from '../values/scope.ts';
import type { SubjectKey } from '../values/subject.ts';
import type { Event } from './event.ts';
import type { ReadersOf } from './readers.ts';

/** Everything about a person is to be erased. It cannot be stopped any more. `subject`: their key; who they are is not on the log. */
export type SubjectErasureRequested = Event<'SubjectErasureRequested', { subject: SubjectKey; requestedAt: string }>;
/** The documents about the person are deleted, and their key is destroyed: nothing about them can be read any more. `scopes`: where they were. */
export type SubjectErased = Event<
  'SubjectErased',
  { subject: SubjectKey; scopes: readonly VectorScope[]; documents: number; erasedAt: string }
>;
/** Everything that was derived from the documents is removed. `receipt`: the signed receipt, as canonical JSON. */
export type SubjectErasureCompleted = Event<'SubjectErasureCompleted', { subject: SubjectKey; receipt: string; completedAt: string }>;

export type SubjectEvent = SubjectErasureRequested | SubjectErased | SubjectErasureCompleted;

/** The projections that read each type. */
export const SUBJECT_READERS = {
  SubjectErasureRequested: ['erasures', 'event-views'],
  SubjectErased: ['erasures', 'event-views'],
  SubjectErasureCompleted: ['erasures', 'event-views'],
} as const satisfies ReadersOf<SubjectEvent>;
