import { z } from 'zod';
import { QUOTAS, REQUEST_KINDS, STRATEGIES } from '@palimpsest/knowledge';
import type { LimitOverrides, Limits, Tiers } from '@palimpsest/knowledge';

const DAY_SECONDS = 86_400;

const rate = z
  .strictObject({
    perSecond: z.number().positive().max(1_000_000).describe('requests a second, in the mean'),
    burst: z.number().int().min(1).max(100_000_000).describe('requests at once'),
  })
  .superRefine(({ perSecond, burst }, context) => {
    const seconds = burst / perSecond;
    // Some stores count in whole seconds.
    if (Math.abs(seconds - Math.round(seconds)) > 1e-9 * seconds || seconds < 1 - 1e-9 || seconds > DAY_SECONDS)
      context.addIssue({ code: 'custom', path: ['burst'], message: 'expected what `perSecond` comes to in a whole number of seconds, from 1 to 86400' });
  });

const quota = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
const strategies = z.array(z.enum(STRATEGIES)).min(1).describe('those that searches may use; another one is replaced by the best of these, and the answer says so');
const weight = z.number().int().min(1).max(100).describe('turns at indexing for each turn of a tenant of weight 1');

const each = <Name extends string, Value extends z.ZodType>(names: readonly Name[], value: Value) =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>);

/** Every limit may be left out. */
export const tierLimits = z.strictObject({
  rates: each(REQUEST_KINDS, rate.exactOptional()).exactOptional().describe('of all keys of the tenant together'),
  ratesPerKey: each(REQUEST_KINDS, rate.exactOptional()).exactOptional().describe('of each key'),
  quotas: each(QUOTAS, quota.exactOptional()).exactOptional(),
  strategies: strategies.exactOptional(),
  weight: weight.exactOptional(),
}) satisfies z.ZodType<Limits>;

/** The same, where `null` lifts the limit of the tier. */
export const limitOverrides = z.strictObject({
  rates: each(REQUEST_KINDS, rate.nullable().exactOptional()).exactOptional(),
  ratesPerKey: each(REQUEST_KINDS, rate.nullable().exactOptional()).exactOptional(),
  quotas: each(QUOTAS, quota.nullable().exactOptional()).exactOptional(),
  strategies: strategies.nullable().exactOptional(),
  weight: weight.nullable().exactOptional(),
}) satisfies z.ZodType<LimitOverrides>;

export const tierName = z.string().regex(/^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/, 'expected 1-63 characters of a-z, 0-9, "-", "_", starting and ending with a letter or digit');

/** A file of tiers. */
export const tiersFile = z
  .strictObject({
    default: tierName.exactOptional().describe('the tier of tenants that have none; without it they are not limited'),
    tiers: z.record(tierName, tierLimits),
  })
  .superRefine(({ default: usual, tiers }, context) => {
    if (usual !== undefined && !Object.hasOwn(tiers, usual)) context.addIssue({ code: 'custom', path: ['default'], message: `expected one of ${Object.keys(tiers).join(', ') || 'the tiers, of which there are none'}` });
  }) satisfies z.ZodType<Tiers>;
