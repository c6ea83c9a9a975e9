import { randomUUID } from 'node:crypto';
import type { Access, Role } from '@palimpsest/knowledge/access';
import { Forbidden, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { streamName } from '@palimpsest/knowledge/ports';
import { DEFAULT_TENANT, START, tenantId } from '@palimpsest/knowledge/values';
import { aJournal, InMemoryEventLog } from '@palimpsest/test-kit';
import { Buses } from '@palimpsest/runtime';
import { ApiKeys, CreateApiKey, type NewApiKey } from './api-keys.ts';

const NOW = '2026-11-22T08:00:00.000Z';
const acme = tenantId('acme');
const by = (...roles: Role[]): Access => ({ tenant: DEFAULT_TENANT, teams: [], roles, actor: 'test' });
const newKey = { name: 'ci', teams: ['red'], roles: ['reader'] as const };

let log: InMemoryEventLog;
let open: ApiKeys[];
const start = async (): Promise<ApiKeys> => {
  const keys = new ApiKeys(aJournal(log), () => NOW);
  await keys.start(START, (error) => {
    throw error;
  });
  open.push(keys);
  return keys;
};
beforeEach(() => {
  log = new InMemoryEventLog();
  open = [];
});
afterEach(async () => {
  for (const keys of open) await keys.stop();
});

describe('API keys', () => {
  it('have the permissions they were created with, immediately and after a restart', async () => {
    const keys = await start();
    const { key, keyId } = await keys.issue(by('admin'), { ...newKey, user: 'ann' }, 'r1');
    const access = { tenant: 'default', teams: ['red'], user: 'ann', roles: ['reader'], actor: `key:${keyId}` };
    expect(keys.accessOf(key)).toEqual(access);
    expect((await start()).accessOf(key)).toEqual(access);
  });
  it('keep the labels that they require, and then are for readers and writers only', async () => {
    const keys = await start();
    const requiredLabels = { department: ['hr', 'legal'] };
    const { key, ...view } = await keys.issue(by('admin'), { ...newKey, requiredLabels }, 'r1');
    expect(view).toMatchObject({ requiredLabels });
    const after = await start();
    expect(after.accessOf(key)).toMatchObject({ roles: ['reader'], requiredLabels });
    expect(after.list(DEFAULT_TENANT)).toMatchObject([{ requiredLabels }]);
    for (const role of ['admin', 'operator'] as const) {
      const issuing = keys.issue(by('admin', 'operator'), { ...newKey, roles: ['writer', role], requiredLabels }, 'r1');
      await expect(issuing).rejects.toThrow(InvalidValue);
      await expect(issuing).rejects.toThrow(`roles: expected reader or writer for a key that requires labels, got "${role}"`);
    }
  });
  it('fail the start without waiting if the log cannot be read', async () => {
    await log.append(
      streamName('tenant', 'default'),
      [{ id: randomUUID(), type: 'ApiKeyIssued', data: { nonsense: true }, metadata: {} }],
      'no-stream',
    );
    await expect(start()).rejects.toThrow();
  });
  it('are stored on the log only as a hash', async () => {
    const keys = await start();
    const { key } = await keys.issue(by('admin'), newKey, 'r1');
    const events = [];
    for await (const event of log.readAll()) events.push(event);
    expect(JSON.stringify(events.map(({ data }) => data))).not.toContain(key.slice(4));
    expect(JSON.stringify(keys.list(DEFAULT_TENANT))).not.toContain(key.slice(4));
  });
  it('are unknown if one character is wrong', async () => {
    const keys = await start();
    const { key } = await keys.issue(by('admin'), newKey, 'r1');
    expect(keys.accessOf(`${key}x`)).toBeUndefined();
    expect(keys.accessOf('')).toBeUndefined();
  });
  it('stop working permanently when they are revoked', async () => {
    const keys = await start();
    const { key, keyId } = await keys.issue(by('admin'), newKey, 'r1');
    await keys.revoke(by('admin'), keyId, 'r2');
    expect(keys.accessOf(key)).toBeUndefined();
    expect((await start()).accessOf(key)).toBeUndefined();
  });
  it('are created by admins for their own tenant, by operators for any', async () => {
    const keys = await start();
    const buses = new Buses(keys.handlers, UNLIMITED);
    const issue = (access: Access, input: NewApiKey) => buses.execute(new CreateApiKey({ access, correlationId: 'r1' }, input));
    await expect(issue(by('writer'), newKey)).rejects.toThrow(Forbidden);
    await expect(issue(by('admin'), { ...newKey, tenant: acme })).rejects.toThrow(Forbidden);
    await expect(issue(by('admin'), { ...newKey, roles: ['operator'] })).rejects.toThrow(Forbidden);
    const { key } = await issue(by('admin', 'operator'), { ...newKey, tenant: acme });
    expect(keys.accessOf(key)?.tenant).toBe('acme');
    expect(keys.list(DEFAULT_TENANT)).toEqual([]);
  });
  it('of another tenant cannot be revoked, nor distinguished from unknown keys', async () => {
    const keys = await start();
    const { key, keyId } = await keys.issue(by('operator'), { ...newKey, tenant: acme }, 'r1');
    await expect(keys.revoke(by('admin'), keyId, 'r2')).rejects.toThrow(NotFound);
    expect(keys.accessOf(key)).toBeDefined();
  });
});
