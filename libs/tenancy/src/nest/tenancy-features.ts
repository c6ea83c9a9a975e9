import type { Journal } from '@palimpsest/contracts';
import { describeCaller } from '../access/describe-caller.ts';
import { BrowseAudit } from '../audit/browse-audit.ts';
import { LimitsOfTenants, type OpenStreams } from '../limits/limits-of-tenants.ts';
import type { ApiKeys } from '../access/api-keys.ts';
import type { TenantQuotaPolicy } from '../limits/tenant-quota-policy.ts';
import { feature } from '@palimpsest/runtime';
import { ApiKeysController } from './api-keys-controller.ts';
import { AuditController } from './audit-controller.ts';
import { CallerController } from './caller-controller.ts';
import { LimitsController } from './limits-controller.ts';

type TenantsPorts = Readonly<{ apiKeys: ApiKeys; quotas: TenantQuotaPolicy; live: Readonly<{ streams: OpenStreams }> }>;

/** API keys, limits and usage of tenants. */
export const tenants = feature('tenants', ({ apiKeys, quotas, live }: TenantsPorts) => ({
  useCases: [apiKeys, new LimitsOfTenants(quotas, live.streams)],
  routes: [ApiKeysController, LimitsController],
}));

/** The caller's own key. */
export const caller = feature('caller', () => ({ useCases: [describeCaller], routes: [CallerController] }));

/** Who did what, when and from where. */
export const audit = feature('audit', ({ journal }: Readonly<{ journal: Journal }>) => ({
  useCases: [new BrowseAudit(journal)],
  routes: [AuditController],
}));
