import type { Event } from './event.ts';
import type { ReadersOf } from './readers.ts';

/**
 * Who did what, when and from where; never what was read, written or searched for. Equal reads within a short time share one entry
 * with a `count`.
 */
export type AccessRecord = Readonly<{
  /** `key:<id>`; `anonymous` without a valid key. */
  actor: string;
  user?: string;
  teams?: readonly string[];
  method: string;
  /** Route template: `/v1/documents/:id`. */
  operation: string;
  /** Ids in the request: documents, knowledge bases, scopes, keys, tenants. */
  targets: readonly string[];
  /** HTTP status of the response. */
  status: number;
  /** Problem code, if the response was a problem. */
  problem?: string;
  /** The reason that the caller gave for a step that needs one, such as a cut-over against the verdict of an evaluation. */
  forcedBecause?: string;
  /** Number of requests in this entry. */
  count: number;
  /** Time of the first request and, if there are several, of the last. */
  at: string;
  until?: string;
  /** IP address of the caller. */
  from?: string;
  /** Id of the first request. Events that it caused have it as their `correlationId`. */
  requestId: string;
  /** Requests since the previous entry that were counted but not recorded. */
  dropped?: number;
}>;

export type AccessRecorded = Event<'AccessRecorded', AccessRecord>;
export type AuditEvent = AccessRecorded;

/** The projections that read each type. */
export const AUDIT_READERS = {
  AccessRecorded: [],
} as const satisfies ReadersOf<AuditEvent>;
