import { DailyRetrievalCounter, QuotaLedger, TenantLimits, TenantQuotaPolicy } from '@palimpsest/tenancy';
import type { CorePorts } from './core-ports.ts';
import type { Now } from '@palimpsest/runtime';

/** The limits of all tenants, and what they use. */
export const createQuotas = (
  { journal, catalog, readModels, buckets, settings, system, onFault }: CorePorts,
  now: Now,
): TenantQuotaPolicy =>
  new TenantQuotaPolicy({
    limits: new TenantLimits(journal, settings.tiers, now, system.scheduler),
    room: new QuotaLedger({ catalog, readModels, log: journal.log }),
    retrievals: new DailyRetrievalCounter(journal, now, (error) => onFault(error, 'following retrievals'), system),
    buckets,
  });
