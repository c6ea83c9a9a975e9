import { Forbidden } from '../errors.ts';
import type { Branded } from '../values/brand.ts';
import type { TenantScope, VectorScope } from '../values/scope.ts';
import type { TenantId } from '../values/tenant.ts';

/** `operator` acts on the installation as a whole (rebuild, verify, keys of any tenant); `admin` on its own tenant. */
export const ROLES = ['reader', 'writer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Who is calling, as its key says. Nothing a request carries can widen it. */
export type Access = Readonly<{
  tenant: TenantId;
  /** Team ids whose `team:<id>` scopes are open; `*` stands for every team of the tenant. */
  teams: readonly string[];
  /** The one user whose `user:<id>` scope is open. */
  user?: string;
  roles: readonly Role[];
  /** Who it was, for the log: the key's id. */
  actor: string;
}>;

/** A scope that `authorise` let through. The only form in which an index or the catalogue takes a scope to read from. */
export type PermittedScope = Branded<TenantScope, 'PermittedScope'>;

/**
 * The choke point: which of the requested scopes this caller may read. Scopes that it may not read are dropped, not
 * refused, so that an answer never tells whether they exist.
 */
export const authorise = (access: Access, requested: readonly VectorScope[]): readonly PermittedScope[] =>
  [...new Set(requested)]
    .filter((scope) => mayRead(access, scope))
    .sort()
    .map((scope) => Object.freeze({ tenant: access.tenant, scope }) as PermittedScope);

const mayRead = (access: Access, scope: VectorScope): boolean => {
  if (!hasRole(access, 'reader')) return false;
  if (scope === 'platform' || scope === 'deployment') return true;
  if (scope.startsWith('team:')) return access.teams.includes('*') || access.teams.includes(scope.slice('team:'.length));
  return access.user !== undefined && scope === `user:${access.user}`;
};

/**
 * Whether a scope exists for this caller although nothing may be stored in it yet: it is part of every tenant, or the key names
 * it. A key for the teams `*` names none of them.
 */
export const isNamedByKey = ({ teams, user }: Access, scope: VectorScope): boolean =>
  scope === 'platform' || scope === 'deployment' || teams.some((team) => scope === `team:${team}`) || (user !== undefined && scope === `user:${user}`);

/** A writer is a reader, an admin is a writer; an operator is neither by itself. */
const IMPLIED: Readonly<Record<Role, readonly Role[]>> = {
  reader: ['reader', 'writer', 'admin'],
  writer: ['writer', 'admin'],
  admin: ['admin'],
  operator: ['operator'],
};

export const hasRole = (access: Access, role: Role): boolean => access.roles.some((held) => IMPLIED[role].includes(held));

/** @throws Forbidden naming the missing role */
export const requireRole = (access: Access, role: Role): void => {
  if (!hasRole(access, role)) throw new Forbidden(`this needs the role "${role}"; the key has ${access.roles.join(', ') || 'none'}`);
};
