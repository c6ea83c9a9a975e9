import type { TenantId } from '@palimpsest/knowledge';

/** A statement of its own for one tenant: a condition that is sometimes none would read every row. */
export const ofTenant = (tenant: TenantId | undefined): string => (tenant === undefined ? '' : 'WHERE tenant = ?');
export const given = (tenant: TenantId | undefined): readonly string[] => (tenant === undefined ? [] : [tenant]);
