import { KnowledgeError } from '../errors.ts';
import type { TenantScope, VectorScope } from '../values/scope.ts';
import type { Access } from './access.ts';

/** Something was about to be shown to who may not see it: one of the layers that keep tenants and scopes apart is broken. */
export class IsolationBreach extends KnowledgeError {
  readonly code = 'IsolationBreach';
  readonly retryable = false;
}

/** A place that what is shown lies in. A row that has no tenant of its own is opened with the key of the caller's. */
type Place = Readonly<{ scope: VectorScope } & Partial<Pick<TenantScope, 'tenant'>>>;

/**
 * The second judgement, of what is on its way to a caller: whether it lies in a scope that the caller's key opens. It shares nothing
 * with `authorise`, which judges what is asked for, so that a fault in either, or in a store that was told to filter, shows nothing:
 * the whole answer is refused, and the log tells. @throws IsolationBreach
 */
export const secondLook = <Shown extends Place>(access: Access, shown: Shown): Shown => {
  const { tenant = access.tenant, scope } = shown;
  const opened = ['platform', 'deployment', ...(access.user === undefined ? [] : [`user:${access.user}`]), ...access.teams.map((team) => `team:${team}`)];
  const anyTeam = access.teams.includes('*') && scope.startsWith('team:');
  const reads = ['reader', 'writer', 'admin'].some((role) => (access.roles as readonly string[]).includes(role));
  if (!reads || tenant !== access.tenant || !(anyTeam || opened.includes(scope))) throw new IsolationBreach(`${access.actor} of ${access.tenant} was about to be shown something of ${tenant}/${scope}`);
  return shown;
};
