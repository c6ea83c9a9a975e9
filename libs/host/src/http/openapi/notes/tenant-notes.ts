import type { OperationNotes } from './operation-note.ts';

const parameters = { tenant: 'acme' };

export const TENANT_NOTES: OperationNotes = {
  'GET /v1/audit': { answer: 'AuditPage', description: 'Of the caller’s tenant. Requests are recorded by key, route, ids and outcome, never with a query or a text; equal reads that come close together are one entry.' },
  'GET /v1/usage': { answer: 'UsageView', description: 'For every key: what is left of rates comes with each answer (`RateLimit`), what is used of quotas stands here.' },
  'GET /v1/tenants': { answer: 'TenantList', role: 'operator', description: 'Those that have a key, or limits of their own.' },
  'GET /v1/tenants/{tenant}/limits': { answer: 'TenantView', role: 'operator', description: 'Its tier, what was set for it alone, and what follows from both.', example: { parameters } },
  'PUT /v1/tenants/{tenant}/limits': {
    answer: 'TenantView',
    role: 'operator',
    description: 'Holds from the next request on, in every process. What is left out is as the tier has it; `null` lifts a limit of the tier.',
    example: { parameters, body: { 'application/json': { overrides: { rates: { search: { perSecond: 5, burst: 10 } }, quotas: { documents: 1000 } } } } },
  },
};
