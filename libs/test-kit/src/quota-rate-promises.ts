import { expect, it } from '@jest/globals';
import type { Access } from '@palimpsest/knowledge/access';
import { RateLimited } from '@palimpsest/knowledge/errors';
import type { QuotaPolicy, Rate, RequestKind } from '@palimpsest/knowledge/limits';
import { ACME, OTHER } from './catalog-fixture.ts';
import { QuotaWorld, type OpenQuotaPolicy } from './quota-policy-fixture.ts';

/** Longer than any test. */
const HOUR = 3_600;
const hourly = (burst: number): Rate => ({ perSecond: burst / HOUR, burst });

const caller = (actor: string, tenant = ACME): Access => ({ tenant, teams: [], roles: ['reader'], actor });

/** Number of the concurrent requests that are allowed. Each refusal has a retry time within the window. */
const allowed = async (policy: QuotaPolicy, access: () => Access, kind: RequestKind, count = 10): Promise<number> => {
  const outcomes = await Promise.allSettled(Array.from({ length: count }, () => policy.request(access(), kind)));
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    if (!(outcome.reason instanceof RateLimited)) throw outcome.reason;
    expect(outcome.reason.retryAfterSeconds).toBeGreaterThan(0);
    expect(outcome.reason.retryAfterSeconds).toBeLessThanOrEqual(HOUR);
  }
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
};

export const ratePromises = (open: OpenQuotaPolicy): void => {
  it('allows as many requests of a kind as the burst, for all keys of a tenant together', () =>
    QuotaWorld.with(open, { rates: { search: hourly(3), writes: hourly(1) } }, async ({ policy }) => {
      let key = 0;
      const anyKey = (): Access => caller(`key:${key++}`);
      expect([
        await allowed(policy, anyKey, 'search'),
        await allowed(policy, anyKey, 'writes'),
        await allowed(policy, anyKey, 'context'),
      ]).toEqual([3, 1, 10]);
      expect(await allowed(policy, anyKey, 'search')).toBe(0);
      expect(await allowed(policy, () => caller('key:1', OTHER), 'search')).toBe(3);
    }));

  it('allows as many requests as the burst for each key; what a key is refused does not count for the tenant', () =>
    QuotaWorld.with(open, { rates: { search: hourly(5) }, ratesPerKey: { search: hourly(2) } }, async ({ policy }) => {
      const counts = [];
      for (const key of ['key:1', 'key:2', 'key:3']) counts.push(await allowed(policy, () => caller(key), 'search'));
      expect(counts).toEqual([2, 2, 1]);
    }));
};
