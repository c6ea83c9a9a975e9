import { InvalidValue } from '../errors.ts';
import type { Branded } from './brand.ts';
import type { TenantId } from './tenant.ts';

/**
 * Who may read, always inside one tenant: `platform`, `deployment`, `team:<id>` or `user:<id>`.
 * The unit of isolation, erasure, model swap and rebuild.
 */
export type VectorScope = Branded<string, 'VectorScope'>;

/** A scope together with the tenant it lies in: the only full name of a scope. */
export type TenantScope = Readonly<{ tenant: TenantId; scope: VectorScope }>;

const FORMAT = /^(?:platform|deployment|(?:team|user):[A-Za-z0-9](?:[A-Za-z0-9._@-]{0,126}[A-Za-z0-9])?)$/;

/** @throws InvalidValue */
export const vectorScope = (raw: unknown, field = 'scope'): VectorScope => {
  if (typeof raw !== 'string' || !FORMAT.test(raw))
    throw new InvalidValue(field, '"platform", "deployment", "team:<id>" or "user:<id>" (id: letters, digits, "._@-")', raw);
  return raw as VectorScope;
};

export const DEPLOYMENT = vectorScope('deployment');

/** One string per scope and tenant, usable as a map key: the parts cannot run into each other, since neither holds a "/". */
export const scopeKey = ({ tenant, scope }: TenantScope): string => `${tenant}/${scope}`;
