import type { Access, Role } from '@palimpsest/knowledge/access';
import { Forbidden, InvalidValue } from '@palimpsest/knowledge/errors';
import { UNLIMITED, type Tiers } from '@palimpsest/knowledge/limits';
import type { Caller } from '@palimpsest/knowledge/messages';
import { START, tenantId } from '@palimpsest/knowledge/values';
import { aJournal, InMemoryEventLog } from '@palimpsest/test-kit';
import { ApiKeys } from '../access/api-keys.ts';
import { Buses } from '@palimpsest/runtime';
import { LimitsOfTenants, SetLimits } from './limits-of-tenants.ts';
import { TenantLimits } from './tenant-limits.ts';

const NOW = '2026-11-22T08:00:00.000Z';
const [acme, other] = [tenantId('acme'), tenantId('other')];
const by = (...roles: Role[]): Access => ({ tenant: other, teams: [], roles, actor: 'test' });
const TIERS: Tiers = {
  default: 'free',
  tiers: { free: { quotas: { documents: 5 }, weight: 1 }, pro: { quotas: { documents: 500 }, weight: 4 } },
};

let log: InMemoryEventLog;
let open: TenantLimits[];
const fails = (error: unknown): never => {
  throw error;
};
const start = async (tiers = TIERS): Promise<TenantLimits> => {
  const limits = new TenantLimits(aJournal(log), tiers, () => NOW);
  await limits.start(START, fails);
  open.push(limits);
  return limits;
};
beforeEach(() => {
  log = new InMemoryEventLog();
  open = [];
});
afterEach(async () => {
  for (const limits of open) await limits.stop();
});

describe('the limits of a tenant', () => {
  it('are those of the default tier until an operator assigns others to this tenant, immediately and after a restart', async () => {
    const limits = await start();
    expect(limits.of(acme)).toEqual({ tier: 'free', limits: { quotas: { documents: 5 }, weight: 1 } });
    await limits.set(by('operator'), acme, { tier: 'pro', overrides: { quotas: { chunks: 7 } } }, 'r1');
    for (const seen of [limits, await start()]) {
      expect(seen.of(acme)).toEqual({ tier: 'pro', limits: { quotas: { documents: 500, chunks: 7 }, weight: 4 } });
      expect(seen.assigned(acme)).toEqual({ tier: 'pro', overrides: { quotas: { chunks: 7 } } });
      expect(seen.of(other)).toEqual({ tier: 'free', limits: { quotas: { documents: 5 }, weight: 1 } });
    }
  });

  it('do not exist without tiers, except for assigned ones', async () => {
    const limits = await start({ tiers: {} });
    expect(limits.of(acme)).toEqual({ limits: {} });
    await limits.set(by('operator'), acme, { overrides: { quotas: { documents: 1 } } }, 'r1');
    expect(limits.of(acme)).toEqual({ limits: { quotas: { documents: 1 } } });
  });

  it('fall back to the default tier if the assigned one is no longer configured', async () => {
    await (await start()).set(by('operator'), acme, { tier: 'pro', overrides: { weight: 2 } }, 'r1');
    const limits = await start({ default: 'free', tiers: { free: { quotas: { documents: 5 } } } });
    expect(limits.of(acme)).toEqual({ tier: 'free', limits: { quotas: { documents: 5 }, weight: 2 } });
    expect(limits.assigned(acme).tier).toBe('pro');
  });

  it('can be set only by operators, and only to a configured tier', async () => {
    const limits = await start();
    const usage = async () => Promise.reject(new Error('nothing was set'));
    const buses = new Buses(new LimitsOfTenants({ limits, usage }, { count: () => 0 }).handlers, UNLIMITED);
    const sentBy = (role: Role): Caller => ({ access: by(role), correlationId: 'r1' });
    for (const role of ['reader', 'writer', 'admin'] as const)
      await expect(buses.execute(new SetLimits(sentBy(role), { tenant: other, assigned: { overrides: {} } }))).rejects.toThrow(Forbidden);
    await expect(limits.set(by('operator'), acme, { tier: 'gold', overrides: {} }, 'r1')).rejects.toThrow(InvalidValue);
    await expect(limits.set(by('operator'), acme, { tier: 'gold', overrides: {} }, 'r1')).rejects.toThrow(
      'tier: expected one of free, pro, got "gold"',
    );
    await expect((await start({ tiers: {} })).set(by('operator'), acme, { tier: 'constructor', overrides: {} }, 'r1')).rejects.toThrow(
      /no tiers are configured/,
    );
    expect(limits.tenants()).toEqual([]);
  });

  it('are listed for tenants with a key or assigned limits', async () => {
    const limits = await start();
    const keys = new ApiKeys(aJournal(log), () => NOW);
    await keys.start(START, fails);
    await keys.issue(by('operator'), { tenant: tenantId('keyed'), name: 'k', teams: [], roles: ['reader'] }, 'r1');
    await keys.stop();
    await limits.set(by('operator'), acme, { tier: 'pro', overrides: {} }, 'r2');
    expect(limits.tenants()).toEqual(['acme', 'keyed']);
  });
});
