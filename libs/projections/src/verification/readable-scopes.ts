import { cipherIfAny } from '@palimpsest/contracts';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import { tenantId, vectorScope, type TenantScope } from '@palimpsest/knowledge/values';

type OfScope = Readonly<{ tenant: string; scope: string }>;

/**
 * Without what is missing or different in scopes whose key was destroyed: until their erasure is recorded, the log cannot say what they
 * should have. What they should not have is a difference: something of them is left.
 */
export const ofReadableScopes = async <One extends OfScope>(
  all: readonly One[],
  keys: Pick<ScopeKeys, 'cipher'>,
  isLeft: (one: One) => boolean,
): Promise<readonly One[]> => {
  const gone = new Set<string>();
  for (const [key, one] of new Map(all.map((each) => [keyOf(each), each]))) {
    const scope = scopeOf(one);
    if (scope !== undefined && (await cipherIfAny(keys, scope)) === undefined) gone.add(key);
  }
  return all.filter((one) => isLeft(one) || !gone.has(keyOf(one)));
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
