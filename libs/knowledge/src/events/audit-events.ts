import type { Event } from './event.ts';

/**
 * Who did what, when and from where; never what was read, written or searched for. Equal reads that come close together are one
 * entry with a `count`.
 */
export type AccessRecord = Readonly<{
  /** `key:<id>`; `anonymous` without a valid key. */
  actor: string;
  user?: string;
  teams?: readonly string[];
  method: string;
  /** The template of the route: `/v1/documents/:id`. */
  operation: string;
  /** Ids that the request named: documents, knowledge bases, scopes, keys, tenants. */
  targets: readonly string[];
  /** Of the answer. */
  status: number;
  /** Code of the problem, where the answer was one. */
  problem?: string;
  /** Requests that this entry stands for. */
  count: number;
  /** Of the first and, of several, the last of them. */
  at: string;
  until?: string;
  /** Address of the caller. */
  from?: string;
  /** Of the first; events that followed from the request name it as their `correlationId`. */
  requestId: string;
  /** Requests since the entry before that were only counted. */
  dropped?: number;
}>;

export type AccessRecorded = Event<'AccessRecorded', AccessRecord>;
export type AuditEvent = AccessRecorded;
