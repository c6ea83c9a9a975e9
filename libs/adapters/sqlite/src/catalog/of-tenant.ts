import type { TenantId } from '@palimpsest/knowledge/values';

/** One tenant gets a separate statement: with an optional condition, SQLite would read every row. */
export const ofTenant = (tenant: TenantId | undefined): string => (tenant === undefined ? '' : 'WHERE tenant = ?');
export const given = (tenant: TenantId | undefined): readonly string[] => (tenant === undefined ? [] : [tenant]);
