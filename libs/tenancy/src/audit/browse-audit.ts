import type { Journal } from '@palimpsest/contracts';
import { type InputOf } from '@palimpsest/contracts/http';
import { listAudit } from '@palimpsest/contracts/routes/tenants';
import { hasRole } from '@palimpsest/knowledge/access';
import { auditStream, deniedStream } from '@palimpsest/knowledge/deciders';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { NO_ROWS, on, query as queryOf, type UseCase } from '@palimpsest/knowledge/messages';
import { DEFAULT_TENANT } from '@palimpsest/knowledge/values';
import type { Access, Role } from '@palimpsest/knowledge/access';
import type { AccessRecord } from '@palimpsest/knowledge/events';
import type { StreamName } from '@palimpsest/knowledge/ports';
import type { TenantId } from '@palimpsest/knowledge/values';

/** Maximum entries that one request reads, so that a selective filter does not read everything. */
const MAX_READ = 2_000;

type AuditQuery = InputOf<typeof listAudit>['query'];

export type AuditPage = Readonly<{ entries: readonly AccessRecord[]; next?: string }>;

/** Admins see the entries of their tenant, operators those of all tenants. */
const roleFor = ({ tenant, denied }: AuditQuery, access: Access): Role | undefined => {
  if (denied || (tenant !== undefined && tenant !== access.tenant)) return 'operator';
  return hasRole(access, 'operator') ? undefined : 'admin';
};

export class ListAudit extends queryOf<AuditQuery, AuditPage>(listAudit, { role: roleFor, ...NO_ROWS }) {}

/** Reads the audit trail, newest first. */
export class BrowseAudit implements UseCase {
  readonly handlers = [on(ListAudit, ({ access, input }) => this.page(access, input))];
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** @throws InvalidValue */
  async page(access: Access, query: AuditQuery): Promise<AuditPage> {
    const { stream, tenant } = streamFor(access, query);
    const from = query.cursor === undefined ? undefined : Number(query.cursor.slice(1));
    const entries: AccessRecord[] = [];
    let read = 0;
    let last: number | undefined;
    for await (const { event, metadata, revision } of this.#journal.readStream(stream, {
      direction: 'backwards',
      limit: MAX_READ,
      ...(from === undefined ? {} : { from }),
    })) {
      read++;
      last = revision;
      // Isolation does not rely on the stream name alone.
      if (event.type === 'AccessRecorded' && metadata.tenant === tenant && matches(event.data, query)) entries.push(event.data);
      if (entries.length === query.limit) break;
    }
    const more = last !== undefined && last > 0 && (entries.length === query.limit || read === MAX_READ);
    return { entries, ...(more ? { next: `r${(last ?? 0) - 1}` } : {}) };
  }
}

const streamFor = (access: Access, { tenant: named, denied }: AuditQuery): Readonly<{ stream: StreamName; tenant: TenantId }> => {
  if (denied && named !== undefined) throw new InvalidValue('tenant', 'no tenant, since attempts without a key belong to none', named);
  if (denied) return { stream: deniedStream(), tenant: DEFAULT_TENANT };
  const tenant = named === undefined ? access.tenant : named;
  return { stream: auditStream(tenant), tenant };
};

const outcomeOf = (status: number): 'allowed' | 'denied' | 'failed' =>
  status < 400 ? 'allowed' : status === 401 || status === 403 ? 'denied' : 'failed';

const matches = (entry: AccessRecord, { actor, operation, target, outcome, since, until }: AuditQuery): boolean =>
  (actor === undefined || entry.actor === actor) &&
  (operation === undefined || entry.operation === operation) &&
  (target === undefined || entry.targets.includes(target)) &&
  (outcome === undefined || outcomeOf(entry.status) === outcome) &&
  (since === undefined || Date.parse(entry.until ?? entry.at) >= Date.parse(since)) &&
  (until === undefined || Date.parse(entry.at) <= Date.parse(until));
