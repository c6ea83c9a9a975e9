import { unreachable } from '../errors.ts';
import type { SubjectEvent } from '../events/subject-events.ts';
import type { VectorScope } from '../values/scope.ts';
import type { SubjectKey } from '../values/subject.ts';
import type { Decider } from './decider.ts';

export type SubjectErasureCommand =
  | Readonly<{ type: 'RequestErasure'; subject: SubjectKey; now: string }>
  /** Their documents are deleted, and their key is destroyed. */
  | Readonly<{ type: 'RecordErased'; subject: SubjectKey; scopes: readonly VectorScope[]; documents: number; now: string }>
  | Readonly<{ type: 'CompleteErasure'; subject: SubjectKey; receipt: string; now: string }>;

/** `requested`: their key may still exist. `erased`: it does not. `completed`: nothing that was derived from their documents is left. */
export type SubjectErasure = Readonly<{
  state: 'none' | 'requested' | 'erased' | 'completed';
  requestedAt?: string;
  scopes?: readonly VectorScope[];
  documents?: number;
  erasedAt?: string;
  completedAt?: string;
  receipt?: string;
}>;

const decide = (command: SubjectErasureCommand, { state }: SubjectErasure): readonly SubjectEvent[] => {
  const { subject, now } = command;
  switch (command.type) {
    case 'RequestErasure':
      return state === 'none' ? [{ type: 'SubjectErasureRequested', data: { subject, requestedAt: now } }] : [];
    case 'RecordErased': {
      const { scopes, documents } = command;
      return state === 'requested' ? [{ type: 'SubjectErased', data: { subject, scopes, documents, erasedAt: now } }] : [];
    }
    case 'CompleteErasure':
      return state === 'erased' ? [{ type: 'SubjectErasureCompleted', data: { subject, receipt: command.receipt, completedAt: now } }] : [];
    default:
      return unreachable(command);
  }
};

const evolve = (state: SubjectErasure, event: SubjectEvent): SubjectErasure => {
  switch (event.type) {
    case 'SubjectErasureRequested':
      return { state: 'requested', requestedAt: event.data.requestedAt };
    case 'SubjectErased': {
      const { scopes, documents, erasedAt } = event.data;
      return { ...state, state: 'erased', scopes, documents, erasedAt };
    }
    case 'SubjectErasureCompleted': {
      const { receipt, completedAt } = event.data;
      return { ...state, state: 'completed', receipt, completedAt };
    }
    default:
      return unreachable(event);
  }
};

/** The erasure of a data subject. Their key has one; a person who comes back gets another key. */
export const subjectErasure: Decider<SubjectErasureCommand, SubjectErasure, SubjectEvent> = {
  initial: () => ({ state: 'none' }),
  decide,
  evolve,
};
