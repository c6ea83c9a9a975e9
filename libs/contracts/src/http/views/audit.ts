import { z } from 'zod';
import { list, view } from '../view.ts';

/** By the status of the response: `allowed` below 400, `denied` for 401 and 403, `failed` for all others. */
export const AUDIT_OUTCOMES = ['allowed', 'denied', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

export const auditEntry = view(
  'AuditEntry',
  {
    actor: z.string().describe('`key:<id>`; `anonymous` without a valid key.'),
    user: z.string().exactOptional(),
    teams: list(z.string()).exactOptional(),
    method: z.string(),
    operation: z.string().describe('The route template, for example `/v1/documents/:id`.'),
    targets: list(z.string()).describe('Ids in the request.'),
    status: z.number().describe('HTTP status of the response.'),
    problem: z.string().describe('Problem code, if the response was a problem.').exactOptional(),
    forcedBecause: z
      .string()
      .describe('The reason for a forced step, such as a cut-over against the verdict of an evaluation.')
      .exactOptional(),
    count: z.number().describe('Number of requests in this entry: identical reads within a short time are recorded as one entry.'),
    at: z.string().describe('Time of the first request; `until` is the time of the last one, if there were several.'),
    until: z.string().exactOptional(),
    from: z.string().describe('IP address of the caller.').exactOptional(),
    requestId: z.string().describe('Id of the first request. Events caused by the request have it as their correlation id.'),
    dropped: z.number().describe('Number of requests since the previous entry that were counted but not recorded.').exactOptional(),
  },
  'Who did what, when and from where. Never holds what was read, written or searched for.',
);
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditPage = view(
  'AuditPage',
  { entries: list(auditEntry), next: z.string().exactOptional() },
  '`next`: cursor of the next page. A page may hold fewer entries than the limit, or none, and still have a `next`.',
);
export type AuditPage = z.infer<typeof auditPage>;
