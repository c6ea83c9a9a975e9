import { z } from 'zod';
import { wire } from '../../schemas/values.ts';
import { json, route } from '../route.ts';
import { erasureReceipt, tenantErasure } from '../views/proofs.ts';

const params = z.object({ tenant: wire.tenantId });
const parameters = { tenant: 'paper-mill' };
const about = { service: 'reembedding', tag: 'Tenants', role: 'operator', internal: true, params } as const;

export const eraseTenant = route({
  ...about,
  id: 'TenantErasure.erase',
  method: 'post',
  path: '/v1/tenant-erasures/{tenant}',
  summary: 'Erase a tenant: revoke its API keys and erase all of its scopes; operators only. It cannot be undone',
  description:
    'Responds when the keys of all scopes are destroyed, so that nothing of the tenant can be read by anyone (`erased`). What was derived from each scope is then removed, and each scope and the tenant get a receipt (`completed`); that goes on automatically after a crash. The tenant gets no new API keys. Refused (409) while one of its scopes is held, and for tenants with keys of operators: the own one, and `default`. `confirm` repeats the name of the tenant. Erasing it twice changes nothing.',
  administration: true,
  rate: 'writes',
  idempotent: true,
  body: json(z.strictObject({ confirm: z.string().describe('the name of the tenant, again: it cannot be undone') })),
  status: 202,
  response: tenantErasure,
  problems: ['Conflict', 'NotFound', 'Unavailable'],
  example: { parameters, body: { 'application/json': { confirm: 'paper-mill' } } },
});

export const getTenantErasure = route({
  ...about,
  id: 'TenantErasure.get',
  method: 'get',
  path: '/v1/tenant-erasures/{tenant}',
  summary: 'How far the erasure of a tenant is; operators only',
  description: 'Missing (404) for a tenant that is not being erased.',
  status: 200,
  response: tenantErasure,
  problems: ['NotFound'],
  example: { parameters },
});

export const getTenantErasureReceipt = route({
  ...about,
  id: 'TenantErasure.receipt',
  method: 'get',
  path: '/v1/tenant-erasures/{tenant}/receipt',
  summary: 'The signed receipt of the erasure of a tenant; operators only',
  description: 'As that of a scope, for all of its scopes together. Missing (404) until the erasure is complete.',
  status: 200,
  response: erasureReceipt,
  problems: ['NotFound'],
  example: { parameters },
});
