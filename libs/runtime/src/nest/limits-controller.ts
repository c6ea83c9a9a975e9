import { Controller, Inject } from '@nestjs/common';
import { getLimits, getUsage, listTenants, setLimits } from '@palimpsest/contracts/http';
import type { TenantId } from '@palimpsest/knowledge/values';
import { Route, type Call } from '../http/route.ts';
import { TenantQuotaPolicy } from '../limits/tenant-quota-policy.ts';
import { LiveStreams } from '../live/live-streams.ts';

/** Limits and usage of tenants. Callers see their own tenant, operators see all. */
@Controller()
export class LimitsController {
  readonly #quotas: TenantQuotaPolicy;
  readonly #streams: LiveStreams;

  constructor(@Inject(TenantQuotaPolicy) quotas: TenantQuotaPolicy, @Inject(LiveStreams) streams: LiveStreams) {
    this.#quotas = quotas;
    this.#streams = streams;
  }

  @Route(getUsage)
  usage({ access }: Call<typeof getUsage>) {
    return this.#view(access.tenant);
  }

  @Route(listTenants)
  async list() {
    const tenants = [];
    for (const tenant of this.#quotas.limits.tenants()) tenants.push(await this.#assigned(tenant));
    return { tenants };
  }

  @Route(getLimits)
  one({ params }: Call<typeof getLimits>) {
    return this.#assigned(params.tenant);
  }

  @Route(setLimits)
  async set({ access, correlationId, params: { tenant }, body: { tier, overrides } }: Call<typeof setLimits>) {
    await this.#quotas.limits.set(access, tenant, { overrides, ...(tier === null ? {} : { tier }) }, correlationId);
    return this.#assigned(tenant);
  }

  async #assigned(tenant: TenantId) {
    const { tier = null, overrides } = this.#quotas.limits.assigned(tenant);
    return { ...(await this.#view(tenant)), assigned: { tier, overrides } };
  }

  async #view(tenant: TenantId) {
    const { tier = null, limits, use } = await this.#quotas.usage(tenant);
    return { tenant, tier, limits, use: { ...use, liveStreams: this.#streams.count(tenant) } };
  }
}
