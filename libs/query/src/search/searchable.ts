import { embedQuery } from '@palimpsest/contracts';
import { activeGeneration, authorise, EmbeddingModelMismatch } from '@palimpsest/knowledge';
import type { Access, Catalog, EmbeddingProviders, EmbeddingVersion, PermittedScope, ReadablePartition, TenantId, VectorScope } from '@palimpsest/knowledge';
import { refuseUnknown } from './refuse-unknown.ts';
import type { SearchRequest } from './search-request.ts';

/** A scope that this search may and can look into: its active generation, whose model made every vector in it. */
export type Searchable = Readonly<{ scope: PermittedScope; partition: ReadablePartition; embeddingVersion: EmbeddingVersion }>;

export type SearchSpace = Readonly<{ requested: readonly VectorScope[]; permitted: readonly PermittedScope[]; searchable: readonly Searchable[] }>;

/** Which scopes are asked for, which of them are permitted, and which hold anything. @throws NotFound for a named scope or knowledge base that is not there for this caller */
export const searchSpace = async (access: Access, request: SearchRequest, catalog: Catalog): Promise<SearchSpace> => {
  const scopes = await catalog.scopes(access.tenant);
  const known = scopes.map(({ scope: { scope } }) => scope);
  await refuseUnknown(access, request, known, catalog);
  const requested = request.scopes ?? known;
  const permitted = authorise(access, requested);
  const searchable = permitted.flatMap((scope): Searchable[] => {
    const view = scopes.find((known) => known.scope.scope === scope.scope);
    const active = view && activeGeneration({ opened: true, generations: view.generations });
    return active ? [{ scope, partition: { scope, generation: active.id }, embeddingVersion: active.embeddingVersion }] : [];
  });
  return { requested, permitted, searchable };
};

/** The query's vector for each version that the search meets: once per version, never compared across. @throws EmbeddingModelMismatch */
export const queryVectors = async (
  query: string,
  searchable: readonly Searchable[],
  providers: EmbeddingProviders,
  tenant: TenantId,
): Promise<ReadonlyMap<EmbeddingVersion, Float32Array>> => {
  const versions = [...new Set(searchable.map(({ embeddingVersion }) => embeddingVersion))];
  const vectors = await Promise.all(
    versions.map(async (version) => {
      const provider = providers.of(version, tenant);
      if (!provider) throw new EmbeddingModelMismatch(version, providers.versions());
      return [version, await embedQuery(provider, query)] as const;
    }),
  );
  return new Map(vectors);
};
