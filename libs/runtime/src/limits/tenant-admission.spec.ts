import { Journal } from '@palimpsest/contracts';
import { QuotaExceeded, RateLimited, START, tenantId, UNLIMITED, type Access, type BucketRule, type Limits, type RateBuckets } from '@palimpsest/knowledge';
import { InMemoryCatalog, InMemoryEventLog } from '@palimpsest/test-kit';
import { QuotaRoom } from './quota-room.ts';
import { RetrievalsToday } from './retrievals-today.ts';
import { TenantAdmission } from './tenant-admission.ts';
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
    // Nothing to let go of.
  }
}

let opened: TenantAdmission[];
beforeEach(() => (opened = []));
afterEach(async () => {
  for (const admission of opened) await admission.stop();
});
const fails = (error: unknown): never => {
  throw error;
};
const admissionOf = async (limits: Limits | undefined, buckets = new Buckets()): Promise<TenantAdmission> => {
  const journal = new Journal(new InMemoryEventLog());
  const tenants = new TenantLimits(journal, limits ? { default: 'free', tiers: { free: limits } } : { tiers: {} }, () => NOW);
  await tenants.start(START, fails);
  const room = new QuotaRoom({ catalog: new InMemoryCatalog(), readModels: { reached: async () => true }, log: journal.log });
  const admission = new TenantAdmission({ limits: tenants, room, retrievals: new RetrievalsToday(journal, () => NOW, fails), buckets });
  opened.push(admission);
  return admission;
};
const passes = (request: Promise<void>) => request.then(() => true, (error: unknown) => (error instanceof RateLimited ? false : fails(error)));

describe('requests of a tenant with rates', () => {
  const RATES: Limits = { rates: { search: { perSecond: 1, burst: 3 }, writes: { perSecond: 1, burst: 1 } }, ratesPerKey: { search: { perSecond: 1, burst: 2 } } };

  it('are counted by kind, of each key and of all keys together', async () => {
    const admission = await admissionOf(RATES);
    const search = (actor: string, tenant = acme) => passes(admission.request(caller(actor, tenant), 'search'));
    expect([await search('key:1'), await search('key:1'), await search('key:1')]).toEqual([true, true, false]);
    // The refused one did not count against the tenant.
    expect([await search('key:2'), await search('key:3')]).toEqual([true, false]);
    expect([await passes(admission.request(caller(), 'writes')), await passes(admission.request(caller(), 'writes')), await passes(admission.request(caller(), 'context'))]).toEqual([true, false, true]);
    expect(await search('key:1', other)).toBe(true);
  });

  it('are told what is left, and refused with the time to come again', async () => {
    const admission = await admissionOf(RATES);
    const access = caller();
    await admission.request(access, 'search');
    expect(admission.countedIn(access)).toEqual([
      { policy: 'search-key', limit: 2, windowSeconds: 2, remaining: 1, resetSeconds: 2 },
      { policy: 'search', limit: 3, windowSeconds: 3, remaining: 2, resetSeconds: 3 },
    ]);
    await admission.request(caller(), 'writes');
    const refused = caller();
    await expect(admission.request(refused, 'writes')).rejects.toMatchObject({ code: 'RateLimited', retryAfterSeconds: 1, message: 'the tenant may make 1 writes in 1 s: come again in 1 s' });
    expect(admission.countedIn(refused)).toMatchObject([{ policy: 'writes', remaining: 0 }]);
  });

  it('are not counted where there is no rate', async () => {
    const buckets = new Buckets();
    const admission = await admissionOf(undefined, buckets);
    for (let i = 0; i < 100; i++) await admission.request(caller(), 'search');
    expect([buckets.counts.size, admission.countedIn(caller())]).toEqual([0, []]);
  });
});

describe('retrievals of a tenant with so many a day', () => {
  it('are let in until the last one, however many come at once, and those that fail do not count', async () => {
    const admission = await admissionOf({ quotas: { retrievalsPerDay: 2 } });
    const asked = await Promise.allSettled(Array.from({ length: 5 }, () => admission.roomForRetrieval(acme)));
    const holds = asked.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(holds).toHaveLength(2);
    holds[0]?.givenBack();
    holds[1]?.done('trace-1');
    (await admission.roomForRetrieval(acme)).done('trace-2');
    const refusal = await admission.roomForRetrieval(acme).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(QuotaExceeded);
    expect(refusal).toMatchObject({ quota: { limit: 'retrievalsPerDay', allowed: 2, used: 2, tier: 'free' }, retryAfterSeconds: 6 * 3_600 });
    expect((await admission.usage(acme)).use.retrievalsToday).toBe(2);
    await expect(admission.roomForRetrieval(other)).resolves.toBeDefined();
  });
});

describe('what a tenant may not use', () => {
  it('is replaced by the best that it may, and told', async () => {
    const admission = await admissionOf({ strategies: ['SparseOnly'] });
    expect(admission.downgrade(acme, 'SparseOnly')).toBeUndefined();
    expect(admission.downgrade(acme, 'DenseSparseHybrid')).toEqual({
      asked: 'DenseSparseHybrid', used: 'SparseOnly', tier: 'free', detail: 'The tier "free" does not include DenseSparseHybrid: SparseOnly was used.',
    });
  });

  it('is one live stream more than it may have', async () => {
    const admission = await admissionOf({ quotas: { liveStreams: 1 } });
    expect(() => admission.liveStream(acme, 0)).not.toThrow();
    expect(() => admission.liveStream(acme, 1)).toThrow('the tier "free" allows 1 live streams at a time; 1 are used, and one more is asked for');
  });

  it('is nothing where nothing is limited', async () => {
    const access = caller();
    await UNLIMITED.request(access, 'search');
    (await UNLIMITED.roomForRetrieval(acme)).done('t');
    UNLIMITED.liveStream(acme, 1_000);
    expect([UNLIMITED.of(acme), UNLIMITED.downgrade(acme, 'DenseOnly')]).toEqual([{ limits: {} }, undefined]);
  });
});
