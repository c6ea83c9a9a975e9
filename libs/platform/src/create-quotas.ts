import { DailyRetrievalCounter, QuotaLedger, TenantLimits, TenantQuotaPolicy, type CorePorts } from '@palimpsest/runtime';

/** The limits of all tenants, and what they use. */
export const createQuotas = ({ journal, catalog, readModels, buckets, settings, now, onFault }: CorePorts): TenantQuotaPolicy =>
  new TenantQuotaPolicy({
    limits: new TenantLimits(journal, settings.tiers, now),
    room: new QuotaLedger({ catalog, readModels, log: journal.log }),
    retrievals: new DailyRetrievalCounter(journal, now, (error) => onFault(error, 'following retrievals')),
    buckets,
  });
