import type { Journal } from '@palimpsest/contracts';
import type { MessageBus } from '@palimpsest/knowledge/ports';
import { describeCaller } from '../access/describe-caller.ts';
import { BrowseAudit } from '../audit/browse-audit.ts';
import { FailedJobs } from '../failed-jobs.ts';
import { LimitsOfTenants } from '../limits/limits-of-tenants.ts';
import type { SharedPorts } from '../platform/core-ports.ts';
import { feature } from '../platform/feature.ts';
import { ApiKeysController } from './api-keys-controller.ts';
import { AuditController } from './audit-controller.ts';
import { CallerController } from './caller-controller.ts';
import { DeadLettersController } from './dead-letters-controller.ts';
import { LimitsController } from './limits-controller.ts';

/** API keys, limits and usage of tenants. */
export const tenants = feature('tenants', ({ apiKeys, quotas, live }: Pick<SharedPorts, 'apiKeys' | 'quotas' | 'live'>) => ({
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

/** Jobs that failed after all attempts. */
export const failedJobs = feature('failed-jobs', ({ bus }: Readonly<{ bus: MessageBus }>) => ({
  useCases: [new FailedJobs(bus)],
  routes: [DeadLettersController],
}));
