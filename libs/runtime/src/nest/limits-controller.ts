import { Body, Controller, Get, Inject, Param, Put } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { limitOverrides, parseInput, tierName } from '@palimpsest/contracts';
import { requireRole, tenantId, type TenantId } from '@palimpsest/knowledge';
import { Caller, type CallerContext } from '../access/caller.ts';
import { jsonSchema } from '../http/json-schema.ts';
import { TenantQuotaPolicy } from '../limits/tenant-quota-policy.ts';
import { LiveStreams } from '../live/live-streams.ts';

const newLimits = z.strictObject({
  tier: tierName.nullable().default(null).describe('a configured tier; null for the default tier'),
  overrides: limitOverrides.default({}).describe('deviations of this tenant from its tier; null lifts a limit of the tier'),
});

/** Limits and usage of tenants. Callers see their own tenant, operators see all. */
@ApiTags('Tenants')
@Controller('v1')
export class LimitsController {
  readonly #quotas: TenantQuotaPolicy;
  readonly #streams: LiveStreams;

  constructor(@Inject(TenantQuotaPolicy) quotas: TenantQuotaPolicy, @Inject(LiveStreams) streams: LiveStreams) {
    this.#quotas = quotas;
    this.#streams = streams;
  }

  @Get('usage')
  @ApiOperation({ summary: 'Get usage and limits of the caller’s tenant' })
  usage(@Caller() { access }: CallerContext) {
    return this.#view(access.tenant);
  }

  @Get('tenants')
  @ApiOperation({ summary: 'List tenants with their limits and usage; operators only' })
  async list(@Caller() { access }: CallerContext) {
    requireRole(access, 'operator');
    const tenants = [];
    for (const tenant of this.#quotas.limits.tenants()) tenants.push(await this.#assigned(tenant));
    return { tenants };
  }

  @Get('tenants/:tenant/limits')
  @ApiOperation({ summary: 'Get limits and usage of a tenant; operators only' })
  one(@Caller() { access }: CallerContext, @Param('tenant') tenant: string) {
    requireRole(access, 'operator');
    return this.#assigned(tenantId(tenant));
  }

  @Put('tenants/:tenant/limits')
  @ApiOperation({ summary: 'Replace the tier and the overrides of a tenant; operators only' })
  @ApiBody({ schema: jsonSchema(newLimits) })
  async set(@Caller() { access, correlationId }: CallerContext, @Param('tenant') raw: string, @Body() body: unknown) {
    requireRole(access, 'operator');
    const tenant = tenantId(raw);
    const { tier, overrides } = parseInput(newLimits, body);
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
