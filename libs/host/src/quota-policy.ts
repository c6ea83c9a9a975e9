import { memoryRateBuckets } from '@palimpsest/adapters-rate-limits';
import type { Journal } from '@palimpsest/contracts';
import type { Catalog, RateBuckets, ReadModels, Tiers } from '@palimpsest/knowledge';
import { now, QuotaLedger, DailyRetrievalCounter, TenantQuotaPolicy, TenantLimits, type OnFault } from '@palimpsest/runtime';

type Parts = Readonly<{ journal: Journal; catalog: Catalog; readModels: ReadModels; tiers: Tiers; onFault: OnFault; buckets?: RateBuckets }>;

/** The quota policy of all tenants. Start it before the first request is accepted, and stop it after the last. */
export const createQuotaPolicy = ({ journal, catalog, readModels, tiers, onFault, buckets = memoryRateBuckets() }: Parts): TenantQuotaPolicy =>
  new TenantQuotaPolicy({
    limits: new TenantLimits(journal, tiers, now),
    room: new QuotaLedger({ catalog, readModels, log: journal.log }),
    retrievals: new DailyRetrievalCounter(journal, now, (error) => onFault(error, 'following retrievals')),
    buckets,
  });
