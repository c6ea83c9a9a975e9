import { z } from 'zod';
import { limitOverrides, tierName } from '../../schemas/limit-schemas.ts';
import { wire } from '../../schemas/values.ts';
import { flag, limit } from '../query-params.ts';
import { REQUEST_LIMITS } from '../request-limits.ts';
import { json, route } from '../route.ts';
import { AUDIT_OUTCOMES, auditPage } from '../views/audit.ts';
import { tenantList, tenantView, usageView } from '../views/limits.ts';

const params = z.object({ tenant: wire.tenantId });
const parameters = { tenant: 'acme' };

/** What an entry is searched for by equality; longer than any stored value. */
const filter = z.string().max(200);

export const listAudit = route({
  id: 'Audit.list',
  method: 'get',
  path: '/v1/audit',
  service: 'query',
  tag: 'Audit',
  summary: 'List audit entries: who did what, when and from where. Newest first; for admins and operators.',
  description:
    'Returns the entries of the caller’s tenant. Requests are recorded with key, route, ids and outcome, never with a query or a text. Identical reads within a short time are one entry.',
  query: z.strictObject({
    tenant: wire.tenantId.exactOptional().describe('entries of this tenant; operators only'),
    denied: flag('attempts without a valid key, which belong to no tenant; operators only'),
    actor: filter.exactOptional().describe('actor: `key:<id>`'),
    operation: filter.exactOptional().describe('route template: `/v1/documents/:id`'),
    target: filter.exactOptional().describe('an id in the request'),
    outcome: z.enum(AUDIT_OUTCOMES).exactOptional().describe('allowed: status below 400; denied: 401 and 403; failed: all others'),
    since: z.iso.datetime().exactOptional(),
    until: z.iso.datetime().exactOptional(),
    limit: limit(REQUEST_LIMITS.page.audit, 50),
    cursor: z
      .string()
      .regex(/^r(0|[1-9]\d{0,14})$/, 'expected the "next" of an earlier response')
      .exactOptional(),
  }),
  status: 200,
  response: auditPage,
});

export const getUsage = route({
  id: 'Limits.usage',
  method: 'get',
  path: '/v1/usage',
  service: 'ingestion',
  tag: 'Tenants',
  summary: 'Get usage and limits of the caller’s tenant',
  description:
    'Every key may call it. It returns the usage of quotas; the remaining requests of rate limits are in the header `RateLimit` of each response.',
  status: 200,
  response: usageView,
});

export const listTenants = route({
  id: 'Limits.list',
  method: 'get',
  path: '/v1/tenants',
  service: 'ingestion',
  tag: 'Tenants',
  summary: 'List tenants with their limits and usage; operators only',
  description: 'Returns the tenants that have an API key or limits of their own.',
  role: 'operator',
  internal: true,
  status: 200,
  response: tenantList,
});

export const getLimits = route({
  id: 'Limits.one',
  method: 'get',
  path: '/v1/tenants/{tenant}/limits',
  service: 'ingestion',
  tag: 'Tenants',
  summary: 'Get limits and usage of a tenant; operators only',
  description: 'Returns the tier of the tenant, its own overrides, and the resulting limits.',
  role: 'operator',
  internal: true,
  params,
  status: 200,
  response: tenantView,
  example: { parameters },
});

export const setLimits = route({
  id: 'Limits.set',
  method: 'put',
  path: '/v1/tenants/{tenant}/limits',
  service: 'ingestion',
  tag: 'Tenants',
  summary: 'Replace the tier and the overrides of a tenant; operators only',
  description:
    'Takes effect with the next request, in every process. Omitted fields keep the value of the tier; `null` removes a limit of the tier.',
  role: 'operator',
  administration: true,
  internal: true,
  params,
  body: json(
    z.strictObject({
      tier: tierName.nullable().default(null).describe('a configured tier; null for the default tier'),
      overrides: limitOverrides.default({}).describe('deviations of this tenant from its tier; null lifts a limit of the tier'),
    }),
  ),
  status: 200,
  response: tenantView,
  problems: ['ScopeKeyDestroyed'],
  example: {
    parameters,
    body: { 'application/json': { overrides: { rates: { search: { perSecond: 5, burst: 10 } }, quotas: { documents: 1000 } } } },
  },
});
