import type { Journal } from '@palimpsest/contracts';
import { scopeStream } from '@palimpsest/knowledge/deciders';
import { ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import type { TenantId, VectorScope } from '@palimpsest/knowledge/values';

/** Runs something about a recorded search. If a scope of it was erased, the error says where on the log. */
export const orErasedAt = async <Result>(
  { log }: Journal,
  tenant: TenantId,
  scopes: readonly VectorScope[],
  run: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ScopeKeyDestroyed)) throw error;
    for (const scope of scopes)
      for await (const { type, position } of log.readStream(scopeStream({ tenant, scope }), { direction: 'backwards', limit: 2 }))
        if (type === 'ScopeErased') throw new ScopeKeyDestroyed(`scope "${scope}" was erased at position ${position}`, { cause: error });
    throw error;
  }
};
