/** What a request did to be recorded so: `allowed` below 400, `denied` 401 and 403, `failed` everything else. */
export type AuditOutcome = 'allowed' | 'denied' | 'failed';

/** Who did what, when and from where; never what was read, written or searched for. */
export type AuditEntry = Readonly<{
  /** `key:<id>`; `anonymous` without a valid key. */
  actor: string;
  user?: string;
  teams?: readonly string[];
  method: string;
  /** The template of the route: `/v1/documents/:id`. */
  operation: string;
  /** Ids that the request named. */
  targets: readonly string[];
  /** Of the answer. */
  status: number;
  /** Code of the problem, where the answer was one. */
  problem?: string;
  /** Requests that this entry stands for: equal reads that come close together are one. */
  count: number;
  /** Of the first and, of several, the last of them. */
  at: string;
  until?: string;
  /** Address of the caller. */
  from?: string;
  /** Of the first; events that followed from the request have it as their correlation id. */
  requestId: string;
  /** Requests since the entry before that were only counted. */
  dropped?: number;
}>;

/** `next`: for the page behind this one; a page may hold fewer entries than asked for, or none, and still have a next one. */
export type AuditPage = Readonly<{ entries: readonly AuditEntry[]; next?: string }>;

export type AuditQuery = Readonly<{
  /** Of this tenant; operators only. */
  tenant?: string | undefined;
  /** Attempts without a valid key; operators only. */
  denied?: boolean | undefined;
  actor?: string | undefined;
  operation?: string | undefined;
  target?: string | undefined;
  outcome?: AuditOutcome | undefined;
  since?: string | undefined;
  until?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}>;
