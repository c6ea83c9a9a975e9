import { embedQuery } from '@palimpsest/contracts';
import { activeGeneration, authorise, EmbeddingModelMismatch } from '@palimpsest/knowledge';
import type { Access, CatalogReader, EmbeddingProviders, EmbeddingVersion, PermittedScope, ReadablePartition, Recipe, TenantId, VectorScope } from '@palimpsest/knowledge';
import { refuseUnknown } from './refuse-unknown.ts';
import type { SearchRequest } from './search-request.ts';

/** A scope that this search may read and that has an active generation; one model made all vectors of the generation. */
export type SearchTarget = Readonly<{ scope: PermittedScope; partition: ReadablePartition; embeddingVersion: EmbeddingVersion; recipe: Recipe }>;

export type SearchTargets = Readonly<{ requested: readonly VectorScope[]; permitted: readonly PermittedScope[]; searchable: readonly SearchTarget[] }>;

/** Finds the requested scopes, the permitted ones, and those with data. @throws NotFound as `refuseUnknown` does */
export const searchTargets = async (access: Access, request: SearchRequest, catalog: CatalogReader): Promise<SearchTargets> => {
  const scopes = await catalog.scopes(access.tenant);
  const known = scopes.map(({ scope: { scope } }) => scope);
  await refuseUnknown(access, request, known, catalog);
  const requested = request.scopes ?? known;
  const permitted = authorise(access, requested);
  const searchable = permitted.flatMap((scope): SearchTarget[] => {
    const view = scopes.find((known) => known.scope.scope === scope.scope);
    const active = view && activeGeneration({ opened: true, generations: view.generations });
    return active ? [{ scope, partition: { scope, generation: active.id }, embeddingVersion: active.embeddingVersion, recipe: active.recipe }] : [];
  });
  return { requested, permitted, searchable };
};

/** The query's vector for each embedding version of the targets; versions are never compared. @throws EmbeddingModelMismatch */
export const queryVectors = async (
  query: string,
  searchable: readonly SearchTarget[],
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
