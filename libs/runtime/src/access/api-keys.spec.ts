import { randomUUID } from 'node:crypto';
import { Journal } from '@palimpsest/contracts';
import { DEFAULT_TENANT, Forbidden, NotFound, START, streamName, tenantId, type Access, type Role } from '@palimpsest/knowledge';
import { InMemoryEventLog } from '@palimpsest/test-kit';
import { ApiKeys } from './api-keys.ts';

const NOW = '2026-11-22T08:00:00.000Z';
const acme = tenantId('acme');
const by = (...roles: Role[]): Access => ({ tenant: DEFAULT_TENANT, teams: [], roles, actor: 'test' });
const wish = { name: 'ci', teams: ['red'], roles: ['reader'] as const };

let log: InMemoryEventLog;
let open: ApiKeys[];
const start = async (): Promise<ApiKeys> => {
  const keys = new ApiKeys(new Journal(log), () => NOW);
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
  it('stand for what they were issued with, at once and after a restart', async () => {
    const keys = await start();
    const { key, keyId } = await keys.issue(by('admin'), { ...wish, user: 'ann' }, 'r1');
    const access = { tenant: 'default', teams: ['red'], user: 'ann', roles: ['reader'], actor: `key:${keyId}` };
    expect(keys.accessOf(key)).toEqual(access);
    expect((await start()).accessOf(key)).toEqual(access);
  });
  it('keep nobody waiting when the log cannot be read: the start says why', async () => {
    await log.append(streamName('tenant', 'default'), [{ id: randomUUID(), type: 'ApiKeyIssued', data: { nonsense: true }, metadata: {} }], 'no-stream');
    await expect(start()).rejects.toThrow();
  });
  it('are on the log only as a hash', async () => {
    const keys = await start();
    const { key } = await keys.issue(by('admin'), wish, 'r1');
    const events = [];
    for await (const event of log.readAll()) events.push(event);
    expect(JSON.stringify(events.map(({ data }) => data))).not.toContain(key.slice(4));
    expect(JSON.stringify(keys.list(DEFAULT_TENANT))).not.toContain(key.slice(4));
  });
  it('are unknown when a character is wrong', async () => {
    const keys = await start();
    const { key } = await keys.issue(by('admin'), wish, 'r1');
    expect(keys.accessOf(`${key}x`)).toBeUndefined();
    expect(keys.accessOf('')).toBeUndefined();
  });
  it('stop working when they are revoked, and stay so', async () => {
    const keys = await start();
    const { key, keyId } = await keys.issue(by('admin'), wish, 'r1');
    await keys.revoke(by('admin'), keyId, 'r2');
    expect(keys.accessOf(key)).toBeUndefined();
    expect((await start()).accessOf(key)).toBeUndefined();
  });
  it('are issued by admins for their own tenant, by operators for any', async () => {
    const keys = await start();
    await expect(keys.issue(by('writer'), wish, 'r1')).rejects.toThrow(Forbidden);
    await expect(keys.issue(by('admin'), { ...wish, tenant: acme }, 'r1')).rejects.toThrow(Forbidden);
    await expect(keys.issue(by('admin'), { ...wish, roles: ['operator'] }, 'r1')).rejects.toThrow(Forbidden);
    const { key } = await keys.issue(by('operator'), { ...wish, tenant: acme }, 'r1');
    expect(keys.accessOf(key)?.tenant).toBe('acme');
    expect(keys.list(DEFAULT_TENANT)).toEqual([]);
  });
  it('of another tenant cannot be revoked, nor told from none', async () => {
    const keys = await start();
    const { key, keyId } = await keys.issue(by('operator'), { ...wish, tenant: acme }, 'r1');
    await expect(keys.revoke(by('admin'), keyId, 'r2')).rejects.toThrow(NotFound);
    expect(keys.accessOf(key)).toBeDefined();
  });
});
