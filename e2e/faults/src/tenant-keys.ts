import type { PalimpsestClient } from '@palimpsest/client';
import { TENANTS, type Tenant } from './uploads.ts';

export type TenantKeys = Readonly<Record<Tenant, string>>;

/** Creates a key for each tenant that gives access to all its data. */
export const createTenantKeys = async (operator: PalimpsestClient): Promise<TenantKeys> => {
  const keys: [Tenant, string][] = [];
  for (const tenant of TENANTS)
    keys.push([tenant, (await operator.operations.createApiKey({ name: tenant, tenant, teams: ['*'], roles: ['admin'] })).key]);
  return Object.fromEntries(keys) as TenantKeys;
};
