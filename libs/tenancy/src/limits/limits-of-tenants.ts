import { type TenantView, type UsageView } from '@palimpsest/contracts/http';
import { getLimits, getUsage, listTenants, setLimits } from '@palimpsest/contracts/routes/tenants';
import { command, NO_ROWS, on, query, type Message, type UseCase } from '@palimpsest/knowledge/messages';
import type { TenantId } from '@palimpsest/knowledge/values';
import type { AssignedLimits } from './tenant-limits.ts';
import type { TenantQuotaPolicy } from './tenant-quota-policy.ts';

/** Counts the open live streams of a tenant. */
export type OpenStreams = Readonly<{ count: (tenant: TenantId) => number }>;
type NewLimits = Readonly<{ tenant: TenantId; assigned: AssignedLimits }>;

/** Of the caller's tenant. */
export class GetUsage extends query<void, UsageView>(getUsage, NO_ROWS) {}
export class ListTenants extends query<void, readonly TenantView[]>(listTenants, NO_ROWS) {}
export class GetLimits extends query<TenantId, TenantView>(getLimits, NO_ROWS) {}
export class SetLimits extends command<NewLimits, TenantView>(setLimits) {}

/** Limits and usage of tenants. Callers see their own tenant, operators see all. */
export class LimitsOfTenants implements UseCase {
  readonly handlers = [
    on(GetUsage, ({ access }) => this.#view(access.tenant)),
    on(ListTenants, () => this.#list()),
    on(GetLimits, ({ input }) => this.#assigned(input)),
    on(SetLimits, (message) => this.#set(message)),
  ];
  readonly #quotas: Pick<TenantQuotaPolicy, 'limits' | 'usage'>;
  readonly #streams: OpenStreams;

  constructor(quotas: Pick<TenantQuotaPolicy, 'limits' | 'usage'>, streams: OpenStreams) {
    this.#quotas = quotas;
    this.#streams = streams;
  }

  async #list(): Promise<readonly TenantView[]> {
    const tenants = [];
    for (const tenant of this.#quotas.limits.tenants()) tenants.push(await this.#assigned(tenant));
    return tenants;
  }

  /** @throws InvalidValue for a tier that is not configured */
  async #set({ access, correlationId, input: { tenant, assigned } }: Message<NewLimits, TenantView>): Promise<TenantView> {
    await this.#quotas.limits.set(access, tenant, assigned, correlationId);
    return this.#assigned(tenant);
  }

  async #assigned(tenant: TenantId): Promise<TenantView> {
    const { tier = null, overrides } = this.#quotas.limits.assigned(tenant);
    return { ...(await this.#view(tenant)), assigned: { tier, overrides } };
  }

  async #view(tenant: TenantId): Promise<UsageView> {
    const { tier = null, limits, use } = await this.#quotas.usage(tenant);
    return { tenant, tier, limits, use: { ...use, liveStreams: this.#streams.count(tenant) } };
  }
}
