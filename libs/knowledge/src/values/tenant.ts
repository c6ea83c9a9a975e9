import { InvalidValue } from '../errors.ts';
import type { Branded } from './brand.ts';
import { LENGTHS, PATTERNS } from './value-limits.ts';

/** A customer of a SaaS back end, or the tenant `default` of a single-tenant installation. Tenants are fully isolated. */
export type TenantId = Branded<string, 'TenantId'>;

const FORMAT = new RegExp(PATTERNS.tenantId);

/** @throws InvalidValue */
export const tenantId = (raw: unknown, field = 'tenant'): TenantId => {
  if (typeof raw !== 'string' || !FORMAT.test(raw))
    throw new InvalidValue(
      field,
      `1-${LENGTHS.tenantId} characters of a-z, 0-9, "-", "_", starting and ending with a letter or digit`,
      raw,
    );
  return raw as TenantId;
};

export const DEFAULT_TENANT = tenantId('default');
