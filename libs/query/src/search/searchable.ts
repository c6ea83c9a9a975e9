import { embedQuery } from '@palimpsest/contracts';
import { activeGeneration, authorise, EmbeddingModelMismatch } from '@palimpsest/knowledge';
import type { Access, Catalog, EmbeddingProviders, EmbeddingVersion, PermittedScope, ReadablePartition, VectorScope } from '@palimpsest/knowledge';
import type { SearchRequest } from './search-request.ts';

/** A scope that this search may and can look into: its active generation, whose model made every vector in it. */
export type Searchable = Readonly<{ scope: PermittedScope; partition: ReadablePartition; embeddingVersion: EmbeddingVersion }>;

export type SearchSpace = Readonly<{ requested: readonly VectorScope[]; permitted: readonly PermittedScope[]; searchable: readonly Searchable[] }>;

/** Which scopes are asked for, which of them are permitted (the others are dropped, unsaid), and which hold anything. */
export const searchSpace = async (access: Access, request: SearchRequest, catalog: Catalog): Promise<SearchSpace> => {
  const scopes = await catalog.scopes(access.tenant);
  const requested = request.scopes ?? scopes.map(({ scope: { scope } }) => scope);
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
): Promise<ReadonlyMap<EmbeddingVersion, Float32Array>> => {
  const versions = [...new Set(searchable.map(({ embeddingVersion }) => embeddingVersion))];
  const vectors = await Promise.all(
    versions.map(async (version) => {
      const provider = providers.of(version);
      if (!provider) throw new EmbeddingModelMismatch(version, providers.versions());
      return [version, await embedQuery(provider, query)] as const;
    }),
  );
  return new Map(vectors);
};
