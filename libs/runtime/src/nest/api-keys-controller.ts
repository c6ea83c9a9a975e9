import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { parseInput } from '@palimpsest/contracts';
import { requireRole, ROLES, tenantId } from '@palimpsest/knowledge';
import { ApiKeys } from '../access/api-keys.ts';
import { Caller, type CallerContext } from '../access/caller.ts';
import { jsonSchema } from '../http/json-schema.ts';

const id = z.string().regex(/^(?:\*|[A-Za-z0-9](?:[A-Za-z0-9._@-]{0,126}[A-Za-z0-9])?)$/, 'expected letters, digits, "._@-", or "*"');
const newKey = z.strictObject({
  name: z.string().min(1).max(100),
  tenant: z.string().meta({ pattern: '^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$' }).exactOptional(),
  teams: z.array(id).max(100).default([]),
  user: id.exactOptional(),
  roles: z.array(z.enum(ROLES)).min(1).default(['reader']),
});

@ApiTags('API keys')
@Controller('v1/api-keys')
export class ApiKeysController {
  readonly #keys: ApiKeys;

  constructor(@Inject(ApiKeys) keys: ApiKeys) {
    this.#keys = keys;
  }

  @Post()
  @ApiOperation({ summary: 'Create an API key. The secret is shown only once.' })
  @ApiBody({ schema: jsonSchema(newKey) })
  issue(@Caller() { access, correlationId }: CallerContext, @Body() body: unknown) {
    const { tenant, ...rest } = parseInput(newKey, body);
    return this.#keys.issue(access, { ...rest, ...(tenant === undefined ? {} : { tenant: tenantId(tenant) }) }, correlationId);
  }

  @Get()
  @ApiOperation({ summary: 'List the API keys of the caller’s tenant, without secrets' })
  list(@Caller() { access }: CallerContext) {
    requireRole(access, 'admin');
    return { keys: this.#keys.list(access.tenant) };
  }

  @Delete(':keyId')
  @HttpCode(204)
  @ApiOperation({ summary: 'Revoke an API key immediately' })
  async revoke(@Caller() { access, correlationId }: CallerContext, @Param('keyId') keyId: string): Promise<void> {
    await this.#keys.revoke(access, keyId, correlationId);
  }
}
