import { InvalidValue } from '../errors.ts';
import type { Branded } from './brand.ts';
import { PATTERNS } from './value-limits.ts';
import type { TenantId } from './tenant.ts';

/**
 * Part of a tenant's data with its own readers: `platform`, `deployment`, `team:<id>` or `user:<id>`.
 * The unit of isolation, erasure, model change and rebuild.
 */
export type VectorScope = Branded<string, 'VectorScope'>;

/** A scope with its tenant. Only the two together identify a scope. */
export type TenantScope = Readonly<{ tenant: TenantId; scope: VectorScope }>;

const FORMAT = new RegExp(PATTERNS.scope);

/** @throws InvalidValue */
export const vectorScope = (raw: unknown, field = 'scope'): VectorScope => {
  if (typeof raw !== 'string' || !FORMAT.test(raw))
    throw new InvalidValue(field, '"platform", "deployment", "team:<id>" or "user:<id>" (id: letters, digits, "._@-")', raw);
  return raw as VectorScope;
};

export const DEPLOYMENT = vectorScope('deployment');

/** A map key for a scope. It is unique, since neither tenant nor scope contains a "/". */
export const scopeKey = ({ tenant, scope }: TenantScope): string => `${tenant}/${scope}`;
