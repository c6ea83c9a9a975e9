import type { PalimpsestClient } from '@palimpsest/client';
import { TENANTS, type Tenant } from './uploads.ts';

export type TenantKeys = Readonly<Record<Tenant, string>>;

/** A key of each tenant's own, good for everything within it. */
export const makeTenantKeys = async (operator: PalimpsestClient): Promise<TenantKeys> => {
  const keys: [Tenant, string][] = [];
  for (const tenant of TENANTS) keys.push([tenant, (await operator.operations.createApiKey({ name: tenant, tenant, teams: ['*'], roles: ['admin'] })).key]);
  return Object.fromEntries(keys) as TenantKeys;
};
