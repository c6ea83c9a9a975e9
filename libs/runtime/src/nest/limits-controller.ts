import { Body, Controller, Get, Inject, Param, Put } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { limitOverrides, parseInput, tierName } from '@palimpsest/contracts';
import { requireRole, tenantId, type TenantId } from '@palimpsest/knowledge';
import { Caller, type CallerContext } from '../access/caller.ts';
import { jsonSchema } from '../http/json-schema.ts';
import { TenantAdmission } from '../limits/tenant-admission.ts';
import { LiveStreams } from '../live/live-streams.ts';
import { PORT } from './ports.ts';

const newLimits = z.strictObject({
  tier: tierName.nullable().default(null).describe('a tier of the settings; null for the usual one'),
  overrides: limitOverrides.default({}).describe('what is otherwise for this tenant; null lifts a limit of the tier'),
});

/** What tenants may use, and what they do use: each of itself, an operator of all. */
@ApiTags('Tenants')
@Controller('v1')
export class LimitsController {
  readonly #admission: TenantAdmission;
  readonly #streams: LiveStreams;

  constructor(@Inject(PORT.Admission) admission: TenantAdmission, @Inject(LiveStreams) streams: LiveStreams) {
    this.#admission = admission;
    this.#streams = streams;
  }

  @Get('usage')
  @ApiOperation({ summary: 'What the caller’s tenant has and does, and what it may' })
  usage(@Caller() { access }: CallerContext) {
    return this.#view(access.tenant);
  }

  @Get('tenants')
  @ApiOperation({ summary: 'Tenants with their limits and their use; operators only' })
  async list(@Caller() { access }: CallerContext) {
    requireRole(access, 'operator');
    const tenants = [];
    for (const tenant of this.#admission.limits.tenants()) tenants.push(await this.#assigned(tenant));
    return { tenants };
  }

  @Get('tenants/:tenant/limits')
  @ApiOperation({ summary: 'A tenant’s limits and use; operators only' })
  one(@Caller() { access }: CallerContext, @Param('tenant') tenant: string) {
    requireRole(access, 'operator');
    return this.#assigned(tenantId(tenant));
  }

  @Put('tenants/:tenant/limits')
  @ApiOperation({ summary: 'Set a tenant’s tier and what is otherwise for it, in the place of what was set before; operators only' })
  @ApiBody({ schema: jsonSchema(newLimits) })
  async set(@Caller() { access, correlationId }: CallerContext, @Param('tenant') raw: string, @Body() body: unknown) {
    requireRole(access, 'operator');
    const tenant = tenantId(raw);
    const { tier, overrides } = parseInput(newLimits, body);
    await this.#admission.limits.set(access, tenant, { overrides, ...(tier === null ? {} : { tier }) }, correlationId);
    return this.#assigned(tenant);
  }

  async #assigned(tenant: TenantId) {
    const { tier = null, overrides } = this.#admission.limits.assigned(tenant);
    return { ...(await this.#view(tenant)), assigned: { tier, overrides } };
  }

  async #view(tenant: TenantId) {
    const { tier = null, limits, use } = await this.#admission.usage(tenant);
    return { tenant, tier, limits, use: { ...use, liveStreams: this.#streams.count(tenant) } };
  }
}
