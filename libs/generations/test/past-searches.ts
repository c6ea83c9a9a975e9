import { queryDigest, sealRequest } from '@palimpsest/contracts';
import type { KnowledgeRetrieved } from '@palimpsest/knowledge/events';
import { vectorScope, type TenantId } from '@palimpsest/knowledge/values';
import { recorded, retrieval } from './retrievals.ts';
import { SCOPE, type World } from './world.ts';

/** `keyScope`: of the key that sealed it. `text`: undefined if the tenant did not let the platform record it. */
export type PastSearch = Readonly<{
  text: string | undefined;
  tenant?: TenantId;
  scopes?: readonly string[];
  keyScope?: string;
  strategy?: string;
  minScore?: number;
}>;

/** The retrieval record of one search. */
export const pastSearch = async (
  world: World,
  { text, tenant = SCOPE.tenant, scopes = [SCOPE.scope], keyScope = SCOPE.scope, minScore, ...answer }: PastSearch,
): Promise<KnowledgeRetrieved> => {
  const { type, data } = retrieval('active', answer);
  const cipher = await world.keys.cipher({ tenant, scope: vectorScope(keyScope) });
  return {
    type,
    data: {
      ...data,
      keyScope: vectorScope(keyScope),
      queryHash: queryDigest(cipher, text ?? 'not recorded'),
      ...(text === undefined ? {} : { sealedRequest: sealRequest(cipher, data.traceId, { query: text }) }),
      ...(minScore === undefined ? {} : { minScore }),
      generations: scopes.flatMap((scope) => data.generations.map((one) => ({ ...one, scope: vectorScope(scope) }))),
    },
  };
};

/** Records these searches, the oldest first. */
export const searchedBefore = async (world: World, searches: readonly PastSearch[], tenant = SCOPE.tenant): Promise<void> => {
  const records = [];
  for (const search of searches) records.push(await pastSearch(world, { tenant, ...search }));
  if (records.length > 0) await recorded(world, records, tenant);
};
