import type { Journal } from '@palimpsest/contracts';
import { scope as scopeDecider, scopeStream } from '@palimpsest/knowledge/deciders';
import { NotFound } from '@palimpsest/knowledge/errors';
import type { TenantId, VectorScope } from '@palimpsest/knowledge/values';

export type ScopesOfTenant = Readonly<{ tenant: TenantId; scopes: readonly VectorScope[] }>;

/** Asks the log, because the catalog may be damaged. @throws NotFound for a scope that does not exist */
export const refuseUnknownScopes = async (journal: Journal, { tenant, scopes }: ScopesOfTenant): Promise<void> => {
  for (const scope of scopes) {
    const { state } = await journal.load(scopeDecider, scopeStream({ tenant, scope }));
    if (!state.opened) throw new NotFound('scope', scope);
  }
};
