import { cipherIfAny } from '@palimpsest/contracts';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import { tenantId, vectorScope, type TenantScope } from '@palimpsest/knowledge/values';

type OfScope = Readonly<{ tenant: string; scope: string }>;

/** Without those of scopes whose key was destroyed: the log can no longer say what they should have. */
export const ofReadableScopes = async <One extends OfScope>(
  all: readonly One[],
  keys: Pick<ScopeKeys, 'cipher'>,
): Promise<readonly One[]> => {
  const gone = new Set<string>();
  for (const [key, one] of new Map(all.map((each) => [keyOf(each), each]))) {
    const scope = scopeOf(one);
    if (scope !== undefined && (await cipherIfAny(keys, scope)) === undefined) gone.add(key);
  }
  return all.filter((one) => !gone.has(keyOf(one)));
};

/** Undefined for a name that a damaged row has. */
const scopeOf = ({ tenant, scope }: OfScope): TenantScope | undefined => {
  try {
    return { tenant: tenantId(tenant), scope: vectorScope(scope) };
  } catch {
    return undefined;
  }
};

const keyOf = ({ tenant, scope }: OfScope): string => JSON.stringify([tenant, scope]);
