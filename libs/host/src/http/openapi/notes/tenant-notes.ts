import type { OperationNotes } from './operation-note.ts';

const parameters = { tenant: 'acme' };

export const TENANT_NOTES: OperationNotes = {
  'GET /v1/audit': { answer: 'AuditPage', description: 'Returns the entries of the caller’s tenant. Requests are recorded with key, route, ids and outcome, never with a query or a text. Identical reads within a short time are one entry.' },
  'GET /v1/usage': { answer: 'UsageView', description: 'Every key may call it. It returns the usage of quotas; the remaining requests of rate limits are in the header `RateLimit` of each response.' },
  'GET /v1/tenants': { answer: 'TenantList', role: 'operator', description: 'Returns the tenants that have an API key or limits of their own.' },
  'GET /v1/tenants/{tenant}/limits': { answer: 'TenantView', role: 'operator', description: 'Returns the tier of the tenant, its own overrides, and the resulting limits.', example: { parameters } },
  'PUT /v1/tenants/{tenant}/limits': {
    answer: 'TenantView',
    role: 'operator',
    description: 'Takes effect with the next request, in every process. Omitted fields keep the value of the tier; `null` removes a limit of the tier.',
    example: { parameters, body: { 'application/json': { overrides: { rates: { search: { perSecond: 5, burst: 10 } }, quotas: { documents: 1000 } } } } },
  },
};
