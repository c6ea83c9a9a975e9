import type { PermittedScope } from '@palimpsest/knowledge/access';
import { DEPLOYMENT, type VectorScope } from '@palimpsest/knowledge/values';

const NARROWEST_FIRST = ['user:', 'team:', 'deployment', 'platform'];

/**
 * The scope whose key seals the record of a retrieval: the narrowest of those searched. When a person's scope is erased, what that person
 * searched for is erased with it.
 */
export const keyScopeOf = (permitted: readonly PermittedScope[]): VectorScope => {
  const scopes = permitted.map(({ scope }) => scope).sort();
  return NARROWEST_FIRST.flatMap((kind) => scopes.filter((scope) => scope.startsWith(kind)))[0] ?? DEPLOYMENT;
};
