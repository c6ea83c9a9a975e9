import { z } from 'zod';
import { QUOTAS, REQUEST_KINDS } from '@palimpsest/knowledge/limits';
import { STRATEGIES } from '@palimpsest/knowledge/values';
import type { LimitOverrides, Limits, Tiers } from '@palimpsest/knowledge/limits';

const DAY_SECONDS = 86_400;

const rate = z
  .strictObject({
    perSecond: z.number().positive().max(1_000_000).describe('average requests per second'),
    burst: z.number().int().min(1).max(100_000_000).describe('maximum requests in one window'),
  })
  .superRefine(({ perSecond, burst }, context) => {
    const seconds = burst / perSecond;
    // Some stores count in whole seconds.
    if (Math.abs(seconds - Math.round(seconds)) > 1e-9 * seconds || seconds < 1 - 1e-9 || seconds > DAY_SECONDS)
      context.addIssue({
        code: 'custom',
        path: ['burst'],
        message: `expected \`burst / perSecond\` to be a whole number of seconds from 1 to ${DAY_SECONDS}`,
      });
  });

const quota = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
const QUOTAS_ABOUT =
  'the most that a tenant may store or do. `bytes`: size of the documents as submitted, counting the latest version of each; `knowledgeBases`: those that are not archived; `liveStreams`: open at the same time, in one process; `retrievalsPerDay`: counted from midnight UTC';
const RATES_ABOUT = '`writes` are requests that change documents, knowledge bases or scopes';
const strategies = z
  .array(z.enum(STRATEGIES))
  .min(1)
  .readonly()
  .describe('strategies that searches may use; any other is replaced by the best of these, and the response reports it');
const weight = z.number().int().min(1).max(100).describe('share of the indexing capacity, relative to a tenant of weight 1');

const recordQueries = z
  .boolean()
  .describe(
    'whether retrieval records contain queries and their vectors, sealed under the key of a searched scope; otherwise only a keyed digest',
  );

const each = <Name extends string, Value extends z.ZodType>(names: readonly Name[], value: Value) =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>);

/** Every limit is optional. */
export const tierLimits = z.strictObject({
  rates: each(REQUEST_KINDS, rate.exactOptional()).exactOptional().describe(`for all keys of the tenant together. ${RATES_ABOUT}`),
  ratesPerKey: each(REQUEST_KINDS, rate.exactOptional()).exactOptional().describe(`for each key. ${RATES_ABOUT}`),
  quotas: each(QUOTAS, quota.exactOptional()).exactOptional().describe(QUOTAS_ABOUT),
  strategies: strategies.exactOptional(),
  weight: weight.exactOptional(),
  recordQueries: recordQueries.exactOptional(),
}) satisfies z.ZodType<Limits>;

/** The same limits; `null` lifts the limit of the tier. */
export const limitOverrides = z.strictObject({
  rates: each(REQUEST_KINDS, rate.nullable().exactOptional()).exactOptional(),
  ratesPerKey: each(REQUEST_KINDS, rate.nullable().exactOptional()).exactOptional(),
  quotas: each(QUOTAS, quota.nullable().exactOptional()).exactOptional().describe(QUOTAS_ABOUT),
  strategies: strategies.nullable().exactOptional(),
  weight: weight.nullable().exactOptional(),
  recordQueries: recordQueries.nullable().exactOptional(),
}) satisfies z.ZodType<LimitOverrides>;

export const tierName = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/,
    'expected 1-63 characters of a-z, 0-9, "-", "_", starting and ending with a letter or digit',
  );

/** The file that `PALIMPSEST_TIERS` names. */
export const tiersFile = z
  .strictObject({
    default: tierName.exactOptional().describe('tier of tenants without one; if missing, they have no limits'),
    tiers: z.record(tierName, tierLimits),
  })
  .superRefine(({ default: byDefault, tiers }, context) => {
    if (byDefault !== undefined && !Object.hasOwn(tiers, byDefault))
      context.addIssue({
        code: 'custom',
        path: ['default'],
        message: `expected one of ${Object.keys(tiers).join(', ') || 'the tiers, but there are none'}`,
      });
  }) satisfies z.ZodType<Tiers>;
