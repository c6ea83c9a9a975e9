import { z } from 'zod';
import { parseInput, type Journal } from '@palimpsest/contracts';
import { auditStream, DEFAULT_TENANT, deniedStream, hasRole, InvalidValue, requireRole, tenantId } from '@palimpsest/knowledge';
import type { Access, AccessRecord, StreamName, TenantId } from '@palimpsest/knowledge';

/** Entries that one request looks at: a filter that finds little must not read everything. */
const LOOKS_AT = 2_000;

export const auditQuery = z.strictObject({
  tenant: z.string().exactOptional().describe('of this tenant; operators only'),
  denied: z.enum(['true', 'false']).default('false').describe('attempts without a valid key, which belong to no tenant; operators only'),
  actor: z.string().max(200).exactOptional().describe('who: `key:<id>`'),
  operation: z.string().max(200).exactOptional().describe('the template of a route: `/v1/documents/:id`'),
  target: z.string().max(200).exactOptional().describe('an id that the request named'),
  outcome: z.enum(['allowed', 'denied', 'failed']).exactOptional().describe('allowed: below 400; denied: 401 and 403; failed: the others'),
  since: z.iso.datetime().exactOptional(),
  until: z.iso.datetime().exactOptional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().regex(/^r(0|[1-9]\d{0,14})$/, 'expected the "next" of an earlier answer').exactOptional(),
});
type AuditQuery = z.output<typeof auditQuery>;

export type AuditPage = Readonly<{ entries: readonly AccessRecord[]; next?: string }>;

/** The audit trail, the newest first. A tenant's admins see their own, operators that of every tenant. */
export class BrowseAudit {
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** @throws InvalidValue, Forbidden */
  async page(access: Access, raw: unknown): Promise<AuditPage> {
    const query = parseInput(auditQuery, raw);
    const { stream, tenant } = streamFor(access, query);
    const from = query.cursor === undefined ? undefined : Number(query.cursor.slice(1));
    const entries: AccessRecord[] = [];
    let looked = 0;
    let last: number | undefined;
    for await (const { event, metadata, revision } of this.#journal.readStream(stream, { direction: 'backwards', limit: LOOKS_AT, ...(from === undefined ? {} : { from }) })) {
      looked++;
      last = revision;
      // The name of the stream is not all that this rests on.
      if (event.type === 'AccessRecorded' && metadata.tenant === tenant && matches(event.data, query)) entries.push(event.data);
      if (entries.length === query.limit) break;
    }
    const more = last !== undefined && last > 0 && (entries.length === query.limit || looked === LOOKS_AT);
    return { entries, ...(more ? { next: `r${(last ?? 0) - 1}` } : {}) };
  }
}

const streamFor = (access: Access, { tenant: named, denied }: AuditQuery): Readonly<{ stream: StreamName; tenant: TenantId }> => {
  const ofOthers = denied === 'true' || (named !== undefined && named !== access.tenant);
  if (ofOthers) requireRole(access, 'operator');
  else if (!hasRole(access, 'operator')) requireRole(access, 'admin');
  if (denied === 'true' && named !== undefined) throw new InvalidValue('tenant', 'none, since attempts without a key belong to no tenant', named);
  if (denied === 'true') return { stream: deniedStream(), tenant: DEFAULT_TENANT };
  const tenant = named === undefined ? access.tenant : tenantId(named);
  return { stream: auditStream(tenant), tenant };
};

const outcomeOf = (status: number): 'allowed' | 'denied' | 'failed' => (status < 400 ? 'allowed' : status === 401 || status === 403 ? 'denied' : 'failed');

const matches = (entry: AccessRecord, { actor, operation, target, outcome, since, until }: AuditQuery): boolean =>
  (actor === undefined || entry.actor === actor) &&
  (operation === undefined || entry.operation === operation) &&
  (target === undefined || entry.targets.includes(target)) &&
  (outcome === undefined || outcomeOf(entry.status) === outcome) &&
  (since === undefined || Date.parse(entry.until ?? entry.at) >= Date.parse(since)) &&
  (until === undefined || Date.parse(entry.at) <= Date.parse(until));
