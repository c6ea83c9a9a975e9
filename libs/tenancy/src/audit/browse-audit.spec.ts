import { parseInput } from '@palimpsest/contracts';
import { listAudit } from '@palimpsest/contracts/routes/tenants';
import type { Access, Role } from '@palimpsest/knowledge/access';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { tenantId } from '@palimpsest/knowledge/values';
import { aJournal, InMemoryEventLog } from '@palimpsest/test-kit';
import { AuditTrail } from './audit-trail.ts';
import { Buses } from '@palimpsest/runtime';
import { BrowseAudit, ListAudit } from './browse-audit.ts';

const [ACME, OTHER] = [tenantId('acme'), tenantId('other')];
const as = (role: Role, tenant = ACME): Access => ({ tenant, teams: [], roles: [role], actor: 'key:me' });

describe('reading the audit trail', () => {
  const journal = aJournal(new InMemoryEventLog());
  const buses = new Buses(new BrowseAudit(journal).handlers, UNLIMITED);
  const pageOf = (access: Access, query: object) =>
    buses.execute(new ListAudit({ access, correlationId: 'test' }, parseInput(listAudit.query, query)));
  const actorsOf = async (access: Access, query: object = {}): Promise<readonly string[]> =>
    (await pageOf(access, query)).entries.map(({ actor }) => actor);

  beforeAll(async () => {
    const trail = new AuditTrail(journal, { retentionSeconds: 60, readsPerDay: 100, onError: () => undefined });
    const one = {
      method: 'GET',
      operation: '/v1/documents/:id',
      targets: ['d1'],
      status: 200,
      at: '2026-11-22T08:00:00.000Z',
      requestId: 'r',
    };
    for (let i = 1; i <= 5; i++)
      await trail.change(ACME, {
        ...one,
        actor: `key:${i}`,
        targets: [`d${i}`],
        at: `2026-11-22T08:00:0${i}.000Z`,
        status: i === 5 ? 403 : 200,
      });
    await trail.change(OTHER, { ...one, actor: 'key:other' });
    trail.denied({ ...one, actor: 'anonymous', status: 401 });
    await trail.stop();
  });

  it('returns the entries of the own tenant, newest first, in pages', async () => {
    const first = await pageOf(as('admin'), { limit: '2' });
    expect(first.entries.map(({ actor }) => actor)).toEqual(['key:5', 'key:4']);
    const second = await pageOf(as('admin'), { limit: '3', cursor: first.next });
    expect(second.entries.map(({ actor }) => actor)).toEqual(['key:3', 'key:2', 'key:1']);
    expect(second.next).toBeUndefined();
  });

  it.each([
    [{ actor: 'key:2' }, ['key:2']],
    [{ target: 'd3' }, ['key:3']],
    [{ outcome: 'denied' }, ['key:5']],
    [{ operation: '/v1/search' }, []],
    [{ since: '2026-11-22T08:00:04.000Z' }, ['key:5', 'key:4']],
    [{ until: '2026-11-22T08:00:01.000Z' }, ['key:1']],
  ])('filters entries by %j', async (query, actors) => {
    expect(await actorsOf(as('admin'), query)).toEqual(actors);
  });

  it.each<[Role, object]>([
    ['reader', {}],
    ['writer', {}],
    ['admin', { tenant: 'other' }],
    ['admin', { denied: 'true' }],
  ])('refuses a %s with the query %j', async (role, query) => {
    await expect(pageOf(as(role), query)).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('shows an operator all entries, including attempts without a key', async () => {
    expect(await actorsOf(as('operator'), { tenant: 'other' })).toEqual(['key:other']);
    expect(await actorsOf(as('operator'), { denied: 'true' })).toEqual(['anonymous']);
  });
});
