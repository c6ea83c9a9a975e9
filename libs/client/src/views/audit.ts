/** By the status of the response: `allowed` below 400, `denied` for 401 and 403, `failed` for all others. */
export type AuditOutcome = 'allowed' | 'denied' | 'failed';

/** Who did what, when and from where. Never holds what was read, written or searched for. */
export type AuditEntry = Readonly<{
  /** `key:<id>`; `anonymous` without a valid key. */
  actor: string;
  user?: string;
  teams?: readonly string[];
  method: string;
  /** The route template, for example `/v1/documents/:id`. */
  operation: string;
  /** Ids in the request. */
  targets: readonly string[];
  /** HTTP status of the response. */
  status: number;
  /** Problem code, if the response was a problem. */
  problem?: string;
  /** Number of requests in this entry: identical reads within a short time are recorded as one entry. */
  count: number;
  /** Time of the first request; `until` is the time of the last one, if there were several. */
  at: string;
  until?: string;
  /** IP address of the caller. */
  from?: string;
  /** Id of the first request. Events caused by the request have it as their correlation id. */
  requestId: string;
  /** Number of requests since the previous entry that were counted but not recorded. */
  dropped?: number;
}>;

/** `next`: cursor of the next page. A page may hold fewer entries than the limit, or none, and still have a `next`. */
export type AuditPage = Readonly<{ entries: readonly AuditEntry[]; next?: string }>;

export type AuditQuery = Readonly<{
  /** Entries of this tenant. Operators only. */
  tenant?: string | undefined;
  /** Attempts without a valid key. Operators only. */
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
