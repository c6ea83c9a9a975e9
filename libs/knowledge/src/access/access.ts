import { Forbidden } from '../errors.ts';
import type { Branded } from '../values/brand.ts';
import type { TenantScope, VectorScope } from '../values/scope.ts';
import type { TenantId } from '../values/tenant.ts';
import { describeLabels, type RequiredLabels } from './required-labels.ts';

/** `operator` manages the whole installation (rebuild, verify, keys of any tenant); `admin` manages its own tenant. */
export const ROLES = ['reader', 'writer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** The permissions of the caller, from its API key. No part of a request can extend them. */
export type Access = Readonly<{
  tenant: TenantId;
  /** Team ids whose `team:<id>` scopes the caller may read; `*` means every team of the tenant. */
  teams: readonly string[];
  /** The user whose `user:<id>` scope the caller may read. */
  user?: string;
  roles: readonly Role[];
  /** Default: documents with any labels. */
  requiredLabels?: RequiredLabels;
  /** Id of the API key, recorded with events. */
  actor: string;
}>;

/**
 * A scope that `authorise` approved. Indexes and the catalog accept only this type for reads. `requiredLabels`: only the
 * documents in it that satisfy them, which the catalog checks at each read.
 */
export type PermittedScope = Branded<TenantScope & Pick<Access, 'requiredLabels'>, 'PermittedScope'>;

/**
 * Returns the requested scopes that the caller may read. All reads go through this function. Scopes that the caller may not read are
 * dropped instead of refused, so that a response does not reveal whether they exist.
 */
export const authorise = (access: Access, requested: readonly VectorScope[]): readonly PermittedScope[] =>
  [...new Set(requested)]
    .filter((scope) => mayRead(access, scope))
    .sort()
    .map((scope) => Object.freeze({ tenant: access.tenant, scope, ...limitOf(access) }) as PermittedScope);

const limitOf = ({ requiredLabels }: Access): Pick<Access, 'requiredLabels'> => (requiredLabels === undefined ? {} : { requiredLabels });

const mayRead = (access: Access, scope: VectorScope): boolean => {
  if (!hasRole(access, 'reader')) return false;
  if (scope === 'platform' || scope === 'deployment') return true;
  if (scope.startsWith('team:')) return access.teams.includes('*') || access.teams.includes(scope.slice('team:'.length));
  return access.user !== undefined && scope === `user:${access.user}`;
};

/**
 * Whether a scope exists for this caller even if it is still empty: it is part of every tenant, or the key names it. A key for the
 * teams `*` names no team.
 */
export const isNamedByKey = ({ teams, user }: Access, scope: VectorScope): boolean =>
  scope === 'platform' ||
  scope === 'deployment' ||
  teams.some((team) => scope === `team:${team}`) ||
  (user !== undefined && scope === `user:${user}`);

/** `admin` includes `writer`, and `writer` includes `reader`. `operator` includes no other role. */
const IMPLIED: Readonly<Record<Role, readonly Role[]>> = {
  reader: ['reader', 'writer', 'admin'],
  writer: ['writer', 'admin'],
  admin: ['admin'],
  operator: ['operator'],
};

export const hasRole = (access: Access, role: Role): boolean => access.roles.some((held) => IMPLIED[role].includes(held));

/** `or`: a role that suffices instead. `what` requires it. @throws Forbidden naming the missing role */
export const requireRole = (access: Access, role: Role, or: Role = role, what = 'this operation'): void => {
  if (hasRole(access, role) || hasRole(access, or)) return;
  const needed = or === role ? `"${role}"` : `"${role}" or "${or}"`;
  throw new Forbidden(`${what} requires the role ${needed}; the API key has ${access.roles.join(', ') || 'none'}`);
};

/** For what concerns all scopes of a tenant, also those of users. @throws Forbidden unless the key is for all teams */
export const requireAllTeams = ({ teams }: Access): void => {
  if (!teams.includes('*')) throw new Forbidden('this operation concerns all scopes of the tenant, and requires a key for all teams ("*")');
};

/** For what concerns documents whatever their labels. @throws Forbidden if the key requires labels */
export const requireAnyLabels = ({ requiredLabels }: Access): void => {
  if (requiredLabels !== undefined)
    throw new Forbidden(
      `this operation cannot be limited to documents with certain labels; the API key is for documents with ${describeLabels(requiredLabels)} only`,
    );
};
