import { KnowledgeError } from '../errors.ts';
import type { Labels } from '../values/labels.ts';
import type { TenantScope, VectorScope } from '../values/scope.ts';
import type { Access } from './access.ts';

/** A response contained data that the caller may not see: one of the isolation layers is broken. */
export class IsolationBreach extends KnowledgeError {
  readonly code = 'IsolationBreach';
  readonly retryable = false;
}

/** The scope of a row. A row without a tenant of its own is decrypted with the key of the caller's tenant. `labels`: of its document, if it has one. */
export type Location = Readonly<{ scope: VectorScope; labels?: Labels } & Partial<Pick<TenantScope, 'tenant'>>>;

/**
 * Checks a result before it is returned: it must belong to a scope that the caller's key permits, and have the labels that the key requires. It shares no code with `authorise`,
 * which checks the request. A bug in either of them, or in a store that should have filtered, therefore reveals nothing: the whole
 * response is refused and the breach is logged. @throws IsolationBreach
 */
export const assertVisible = <Shown extends Location>(access: Access, shown: Shown): Shown => {
  const { tenant = access.tenant, scope } = shown;
  const permitted = [
    'platform',
    'deployment',
    ...(access.user === undefined ? [] : [`user:${access.user}`]),
    ...access.teams.map((team) => `team:${team}`),
  ];
  const anyTeam = access.teams.includes('*') && scope.startsWith('team:');
  const reads = ['reader', 'writer', 'admin'].some((role) => (access.roles as readonly string[]).includes(role));
  if (!reads || tenant !== access.tenant || !(anyTeam || permitted.includes(scope)))
    throw new IsolationBreach(`a response to ${access.actor} of ${access.tenant} contained data of ${tenant}/${scope}`);
  if (shown.labels !== undefined && lacksALabel(access, shown.labels))
    throw new IsolationBreach(
      `a response to ${access.actor} of ${access.tenant} contained data of ${tenant}/${scope} without the labels of its key`,
    );
  return shown;
};

const lacksALabel = (access: Access, held: Labels): boolean => {
  const values = new Map(Object.entries(held));
  for (const [name, allowed] of Object.entries(access.requiredLabels ?? {})) {
    const value = values.get(name);
    if (value === undefined || !new Set(allowed).has(value)) return true;
  }
  return false;
};
