import type { Access } from '@palimpsest/knowledge/access';
import { QuotaExceeded, RateLimited } from '@palimpsest/knowledge/errors';
import { UNLIMITED, type BucketRule, type Limits, type RateBuckets } from '@palimpsest/knowledge/limits';
import { START, tenantId } from '@palimpsest/knowledge/values';
import { aJournal, describeQuotaPolicy, InMemoryCatalog, InMemoryEventLog } from '@palimpsest/test-kit';
import { QuotaLedger, type QuotaSources } from './quota-ledger.ts';
import { DailyRetrievalCounter } from './daily-retrieval-counter.ts';
import { TenantQuotaPolicy } from './tenant-quota-policy.ts';
import { TenantLimits } from './tenant-limits.ts';

const [acme, other] = [tenantId('acme'), tenantId('other')];
const NOW = '2026-01-31T18:00:00.000Z';
const caller = (actor = 'key:1', tenant = acme): Access => ({ tenant, teams: [], roles: ['reader'], actor });

/** Windows that never end. */
class Buckets implements RateBuckets {
  readonly counts = new Map<string, number>();
  async take(key: string, { limit, windowSeconds }: BucketRule) {
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    return { allowed: count <= limit, remaining: Math.max(0, limit - count), resetMs: windowSeconds * 1_000 - 1 };
  }
  async close(): Promise<void> {
    // Nothing to close.
  }
}

let opened: TenantQuotaPolicy[];
beforeEach(() => (opened = []));
afterEach(async () => {
  for (const policy of opened) await policy.stop();
});
const fails = (error: unknown): never => {
  throw error;
};
const opening = async (
  limits: Limits | undefined,
  { buckets = new Buckets(), ...stores }: QuotaSources & { buckets?: Buckets },
): Promise<TenantQuotaPolicy> => {
  const journal = aJournal(new InMemoryEventLog());
  const tenants = new TenantLimits(journal, limits ? { default: 'free', tiers: { free: limits } } : { tiers: {} }, () => NOW);
  await tenants.start(START, fails);
  return new TenantQuotaPolicy({
    limits: tenants,
    room: new QuotaLedger(stores),
    retrievals: new DailyRetrievalCounter(journal, () => NOW, fails),
    buckets,
  });
};
const policyOf = async (limits: Limits | undefined, buckets = new Buckets()): Promise<TenantQuotaPolicy> => {
  const policy = await opening(limits, {
    catalog: new InMemoryCatalog(),
    readModels: { reached: async () => true },
    log: new InMemoryEventLog(),
    buckets,
  });
  opened.push(policy);
  return policy;
};

describeQuotaPolicy('TenantQuotaPolicy', async (limits, stores) => {
  const policy = await opening(limits, stores);
  return { policy, dispose: () => policy.stop() };
});

const passes = (request: Promise<void>) =>
  request.then(
    () => true,
    (error: unknown) => (error instanceof RateLimited ? false : fails(error)),
  );

describe('requests of a tenant with rates', () => {
  const RATES: Limits = {
    rates: { search: { perSecond: 1, burst: 3 }, writes: { perSecond: 1, burst: 1 } },
    ratesPerKey: { search: { perSecond: 1, burst: 2 } },
  };

  it('are counted by kind, per key and per tenant', async () => {
    const policy = await policyOf(RATES);
    const search = (actor: string, tenant = acme) => passes(policy.request(caller(actor, tenant), 'search'));
    expect([await search('key:1'), await search('key:1'), await search('key:1')]).toEqual([true, true, false]);
    // The refused request did not count for the tenant.
    expect([await search('key:2'), await search('key:3')]).toEqual([true, false]);
    expect([
      await passes(policy.request(caller(), 'writes')),
      await passes(policy.request(caller(), 'writes')),
      await passes(policy.request(caller(), 'context')),
    ]).toEqual([true, false, true]);
    expect(await search('key:1', other)).toBe(true);
  });

  it('report the remaining requests, and are refused with a retry time', async () => {
    const policy = await policyOf(RATES);
    const access = caller();
    await policy.request(access, 'search');
    expect(policy.countedIn(access)).toEqual([
      { policy: 'search-key', limit: 2, windowSeconds: 2, remaining: 1, resetSeconds: 2 },
      { policy: 'search', limit: 3, windowSeconds: 3, remaining: 2, resetSeconds: 3 },
    ]);
    await policy.request(caller(), 'writes');
    const refused = caller();
    await expect(policy.request(refused, 'writes')).rejects.toMatchObject({
      code: 'RateLimited',
      retryAfterSeconds: 1,
      message: 'rate limit exceeded: 1 writes per 1 s for this tenant; retry in 1 s',
    });
    expect(policy.countedIn(refused)).toMatchObject([{ policy: 'writes', remaining: 0 }]);
  });

  it('are not counted without a rate', async () => {
    const buckets = new Buckets();
    const policy = await policyOf(undefined, buckets);
    for (let i = 0; i < 100; i++) await policy.request(caller(), 'search');
    expect([buckets.counts.size, policy.countedIn(caller())]).toEqual([0, []]);
  });
});

describe('retrievals of a tenant with a daily quota', () => {
  it('are admitted up to the quota, also if they are concurrent; failed ones do not count', async () => {
    const policy = await policyOf({ quotas: { retrievalsPerDay: 2 } });
    const asked = await Promise.allSettled(Array.from({ length: 5 }, () => policy.reserveRetrieval(acme)));
    const reservations = asked.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(reservations).toHaveLength(2);
    reservations[0]?.release();
    reservations[1]?.commit('trace-1');
    (await policy.reserveRetrieval(acme)).commit('trace-2');
    const refusal = await policy.reserveRetrieval(acme).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(QuotaExceeded);
    expect(refusal).toMatchObject({
      quota: { limit: 'retrievalsPerDay', allowed: 2, used: 2, tier: 'free' },
      retryAfterSeconds: 6 * 3_600,
    });
    expect((await policy.usage(acme)).use.retrievalsToday).toBe(2);
    await expect(policy.reserveRetrieval(other)).resolves.toBeDefined();
  });
});

describe('features outside the tier', () => {
  it('replace a strategy by the best allowed one and report it', async () => {
    const policy = await policyOf({ strategies: ['SparseOnly'] });
    expect(policy.downgrade(acme, 'SparseOnly')).toBeUndefined();
    expect(policy.downgrade(acme, 'DenseSparseHybrid')).toEqual({
      asked: 'DenseSparseHybrid',
      used: 'SparseOnly',
      tier: 'free',
      detail: 'The tier "free" does not include DenseSparseHybrid; SparseOnly was used.',
    });
  });

  it('include live streams above the quota', async () => {
    const policy = await policyOf({ quotas: { liveStreams: 1 } });
    expect(() => policy.liveStream(acme, 0)).not.toThrow();
    expect(() => policy.liveStream(acme, 1)).toThrow('the tier "free" allows 1 concurrent live streams: 1 used, 1 more requested');
  });

  it('do not exist without limits', async () => {
    const access = caller();
    await UNLIMITED.request(access, 'search');
    (await UNLIMITED.reserveRetrieval(acme)).commit('t');
    UNLIMITED.liveStream(acme, 1_000);
    expect([UNLIMITED.of(acme), UNLIMITED.downgrade(acme, 'DenseOnly')]).toEqual([{ limits: {} }, undefined]);
  });
});
