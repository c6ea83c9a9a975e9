import { memoryRateBuckets } from '@palimpsest/adapters-rate-limits';
import type { Journal } from '@palimpsest/contracts';
import type { Catalog, RateBuckets, ReadModels, Tiers } from '@palimpsest/knowledge';
import { now, QuotaRoom, RetrievalsToday, TenantAdmission, TenantLimits, type OnFault } from '@palimpsest/runtime';

type Parts = Readonly<{ journal: Journal; catalog: Catalog; readModels: ReadModels; tiers: Tiers; onFault: OnFault; buckets?: RateBuckets }>;

/** What stands before the work of every tenant. To be started before anybody is let in, and stopped after the last. */
export const createAdmission = ({ journal, catalog, readModels, tiers, onFault, buckets = memoryRateBuckets() }: Parts): TenantAdmission =>
  new TenantAdmission({
    limits: new TenantLimits(journal, tiers, now),
    room: new QuotaRoom({ catalog, readModels, log: journal.log }),
    retrievals: new RetrievalsToday(journal, now, (error) => onFault(error, 'following retrievals')),
    buckets,
  });
