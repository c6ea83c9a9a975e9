import type { AuditEntry, AuditQuery } from '@palimpsest/client';
import { eventually } from '@palimpsest/test-kit/eventually';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

describe('the audit trail', () => {
  let data: string;
  let platform: PlatformUnderTest;
  const keys = { admin: '', reader: '', otherAdmin: '' };
  const recorded = (what: string, query: AuditQuery, key = platform.key): Promise<readonly AuditEntry[]> =>
    eventually(what, async () => {
      const { entries } = await platform.as(key).operations.audit(query);
      return entries.length > 0 ? entries : undefined;
    });

  beforeAll(async () => {
    data = await aDataFolder();
    platform = await PlatformUnderTest.start(data, { PALIMPSEST_TRUSTED_PROXIES: '1', PALIMPSEST_LOG_LEVEL: 'info' });
    const keyOf = async (tenant: string, role: string) =>
      (await platform.client.operations.createApiKey({ name: role, tenant, teams: ['red'], roles: [role] })).key;
    [keys.admin, keys.reader, keys.otherAdmin] = [await keyOf('a', 'admin'), await keyOf('a', 'reader'), await keyOf('b', 'admin')];
  });

  it('records who searched, when and from where, but not the query', async () => {
    const answer = await platform.ask('POST /v1/search', {
      key: keys.reader,
      json: { query: 'the strike fund', scopes: ['team:red'] },
      headers: { 'x-request-id': 'search-1', 'x-forwarded-for': '6.6.6.6, 203.0.113.9' },
    });
    expect(answer.status).toBe(200);
    const [entry] = await recorded('the search', { operation: '/v1/search' }, keys.admin);
    expect(entry).toMatchObject({
      method: 'POST',
      operation: '/v1/search',
      targets: ['team:red'],
      status: 200,
      from: '203.0.113.9',
      requestId: 'search-1',
      actor: expect.stringMatching(/^key:/),
      at: expect.stringMatching(/Z$/),
    });
    expect(JSON.stringify(await platform.as(keys.admin).operations.audit({ limit: 200 }))).not.toContain('strike');
  });

  it('records an administrative request before it returns', async () => {
    const issued = await platform.as(keys.admin).operations.createApiKey({ name: 'new' });
    const [entry] = (await platform.as(keys.admin).operations.audit({ operation: '/v1/api-keys' })).entries;
    expect(entry).toMatchObject({ method: 'POST', status: 201 });
    await platform.as(keys.admin).operations.revokeApiKey(issued.keyId);
    const [revoked] = (await platform.as(keys.admin).operations.audit({ target: issued.keyId })).entries;
    expect(revoked).toMatchObject({ method: 'DELETE', operation: '/v1/api-keys/:keyId', status: 204 });
  });

  it('shows a tenant the actions of an operator on it, without the address of the operator', async () => {
    await platform.ask('PUT /v1/tenants/a/limits', { json: { overrides: { quotas: { documents: 10 } } } });
    const [entry] = (await platform.as(keys.admin).operations.audit({ operation: '/v1/tenants/:tenant/limits' })).entries;
    expect(entry).toMatchObject({ method: 'PUT', targets: ['a'], status: 200 });
    expect(entry).not.toHaveProperty('from');
    await platform.as(keys.admin).knowledgeBases.create({ id: 'red', scope: 'team:red', name: 'Red' });
    await platform.client.operations.rebuild({ scopes: ['team:red'], tenant: 'a' });
    const [rebuild] = (await platform.as(keys.admin).operations.audit({ operation: '/v1/admin/rebuild' })).entries;
    expect(rebuild).toMatchObject({ method: 'POST', targets: ['a', 'team:red'], status: 200 });
    expect(rebuild).not.toHaveProperty('from');
  });

  it('records denied requests', async () => {
    expect((await platform.ask('POST /v1/admin/rebuild', { key: keys.reader })).status).toBe(403);
    const [entry] = await recorded('the refusal', { outcome: 'denied' }, keys.admin);
    expect(entry).toMatchObject({ operation: '/v1/admin/rebuild', status: 403, problem: 'Forbidden' });
  });

  it('is shown only to admins of the tenant and to operators', async () => {
    expect((await platform.ask('GET /v1/audit', { key: keys.reader })).status).toBe(403);
    for (const query of ['tenant=a', 'denied=true'])
      expect((await platform.ask(`GET /v1/audit?${query}`, { key: keys.otherAdmin })).status).toBe(403);
    const { entries } = await platform.as(keys.otherAdmin).operations.audit({ limit: 200 });
    expect(entries.some(({ operation }) => operation === '/v1/search')).toBe(false);
    expect((await platform.client.operations.audit({ tenant: 'a', operation: '/v1/search' })).entries).toHaveLength(1);
  });

  it('cannot be flooded by a caller without a key, whose attempts are only counted', async () => {
    const before = (await platform.client.operations.audit({ denied: true, limit: 200 })).entries.length;
    for (let i = 0; i < 60; i++)
      await platform.ask(`GET /v1/documents/${i}`, {
        key: i % 2 === 0 ? undefined : `plk_${'x'.repeat(30)}`,
        headers: { 'x-forwarded-for': `203.0.113.${i}` },
      });
    await platform.stop();
    platform = await PlatformUnderTest.start(data, { PALIMPSEST_TRUSTED_PROXIES: '1', PALIMPSEST_LOG_LEVEL: 'info' });
    const { entries } = await platform.client.operations.audit({ denied: true, limit: 200 });
    expect(entries.length - before).toBeLessThanOrEqual(20);
    expect(entries.reduce((sum, { count, dropped = 0 }) => sum + count + dropped, 0)).toBeGreaterThanOrEqual(60);
    expect(entries.every(({ actor, targets, status }) => actor === 'anonymous' && targets.length === 0 && status === 401)).toBe(true);
  });

  it('is not part of the event list', async () => {
    const { text } = await platform.ask('GET /v1/events?limit=200', { key: keys.admin });
    expect(text).not.toContain('AccessRecorded');
    expect(text).not.toContain('_platform.audit');
  });

  it('survives a restart, and the process log contains key id and tenant of a request, but never the key', async () => {
    await platform.ask('GET /v1/me', { key: keys.reader });
    const stderr = await eventually('the request is logged', () =>
      Promise.resolve(platform.stderr.includes('"tenant":"a"') ? platform.stderr : undefined),
    );
    expect(stderr).toMatch(/"actor":"key:[0-9a-f-]{36}"/);
    for (const key of [...Object.values(keys), platform.key]) expect(stderr).not.toContain(key);
    expect((await platform.as(keys.admin).operations.audit({ operation: '/v1/search' })).entries).toHaveLength(1);
  });
});
