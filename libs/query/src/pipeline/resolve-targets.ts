import { asDeclared, authorise, checkFilter, conditionsOf, needsDeclarations } from '@palimpsest/knowledge/access';
import { activeGeneration, companionOf } from '@palimpsest/knowledge/deciders';
import { primaryLanguage } from '@palimpsest/knowledge/texts';
import { chunkListOf } from '@palimpsest/knowledge/values';
import type { Access, Filter, PermittedScope } from '@palimpsest/knowledge/access';
import type { Generation } from '@palimpsest/knowledge/deciders';
import type { CatalogReader, ScopeView } from '@palimpsest/knowledge/read-models';
import type { GenerationId, VectorScope } from '@palimpsest/knowledge/values';
import { callerOf, NO_CANARIES } from '../canary/canary-routing.ts';
import type { SearchRequest } from '../search/search-request.ts';
import { refuseUnknown } from './refuse-unknown.ts';
import type { SearchStart, Targeted } from './search-state.ts';
import type { SearchTarget, SearchTargets } from './search-targets.ts';
import type { Stage } from './stage.ts';
import { VisibilityFilter } from './visibility-filter.ts';

/** Number of candidates that each retrieval passes to fusion: enough to keep a hit that only one of them ranks high. */
const poolSize = (topK: number): number => Math.max(100, topK * 4);

/**
 * Finds the scopes to search, and what to look for in them. Without `canaries`, all callers are served by the active generations.
 * @throws NotFound as `refuseUnknown` does; InvalidValue as `checkFilter` does
 */
export const resolveTargets: Stage<SearchStart, Targeted> = {
  name: 'authorise',
  run: async ({ access, request, view, now, canaries = NO_CANARIES, recorded = false, pool = poolSize(request.topK) }) => {
    const { catalog } = view;
    const servedBy = (scope: PermittedScope) => canaries.generationFor(scope, callerOf(access, request), view.position());
    const found = await targetsOf(access, request, { then: catalog, now }, servedBy);
    const searchable = await withSynonyms(found.searchable, request, catalog);
    const targets = { ...found, searchable };
    const lists = new Map(searchable.map(({ scope, recipe }) => [scope, chunkListOf(recipe.chunking)]));
    const shown = new VisibilityFilter(catalog, [...lists.keys()], (scope) => lists.get(scope));
    return {
      targets,
      wanted: {
        searchable,
        filter: filterOf(access, request, await declaredFilter(request, catalog, { searchable, recorded })),
        pool,
        shown,
        ...languageOf(request),
      },
    };
  },
  count: ({ targets }) => targets.searchable.length,
};

const targetsOf = async (
  access: Access,
  request: SearchRequest,
  { then, now }: Readonly<{ then: CatalogReader; now: CatalogReader | undefined }>,
  servedBy: (scope: PermittedScope) => GenerationId | undefined,
): Promise<SearchTargets> => {
  const scopes = await then.scopes(access.tenant);
  const known = namesOf(scopes);
  const today = now === undefined ? [] : [{ known: namesOf(await now.scopes(access.tenant)), catalog: now }];
  await refuseUnknown(access, request, [{ known, catalog: then }, ...today]);
  const requested = request.scopes ?? known;
  const permitted = authorise(access, requested);
  const searchable = permitted.flatMap((scope): SearchTarget[] => {
    const view = scopes.find((known) => known.scope.scope === scope.scope);
    const active = view && activeGeneration({ opened: true, generations: view.generations });
    const canary = active && view.generations.find((one) => isBuilt(one) && one.id === servedBy(scope));
    const serving = canary ?? active;
    return serving
      ? [
          {
            scope,
            partition: { scope, generation: serving.id },
            embeddingVersion: serving.embeddingVersion,
            recipe: serving.recipe,
            ...(canary ? { canary: true as const } : {}),
            ...rerankedBy(scope, view?.generations ?? [], serving),
          },
        ]
      : [];
  });
  return { requested, permitted, searchable };
};

const namesOf = (scopes: readonly ScopeView[]): readonly VectorScope[] => scopes.map(({ scope: { scope } }) => scope);

/** After a swap, the companion may have other chunks than the generation that serves, or its model. */
const rerankedBy = (
  scope: PermittedScope,
  generations: readonly Generation[],
  { recipe, embeddingVersion }: Generation,
): Pick<SearchTarget, 'companion'> => {
  const found = companionOf({ generations });
  return found && found.embeddingVersion !== embeddingVersion && chunkListOf(found.recipe.chunking) === chunkListOf(recipe.chunking)
    ? { companion: { partition: { scope, generation: found.id }, embeddingVersion: found.embeddingVersion } }
    : {};
};

/** The catalog of this process may be behind or ahead of the event of the canary: it decides whether the generation can serve. */
const isBuilt = ({ status }: Generation): boolean => status === 'ready' || status === 'standby' || status === 'companion';

/** Region and script of the tag do not affect stemming. */
const languageOf = ({ language: tag }: SearchRequest): Readonly<{ language?: string }> => {
  const language = primaryLanguage(tag ?? 'und');
  return language === 'und' ? {} : { language };
};

/** With the rules of all searched knowledge bases of a scope: the indexes rank the chunks of a scope together. */
const withSynonyms = async (
  searchable: readonly SearchTarget[],
  { strategy, knowledgeBases }: SearchRequest,
  catalog: Pick<CatalogReader, 'synonyms'>,
): Promise<readonly SearchTarget[]> => {
  if (strategy === 'DenseOnly') return searchable;
  const all = await catalog.synonyms(searchable.map(({ scope }) => scope));
  return searchable.map((target) => {
    const synonyms = all
      .filter(({ id, scope }) => scope === target.scope.scope && (knowledgeBases?.includes(id) ?? true))
      .flatMap((base) => base.synonyms);
    return synonyms.length === 0 ? target : { ...target, synonyms };
  });
};

/** Compares by what the searched knowledge bases declare. @throws InvalidValue as `checkFilter` does */
const declaredFilter = async (
  { filter, knowledgeBases }: SearchRequest,
  catalog: CatalogReader,
  { searchable, recorded }: Readonly<{ searchable: readonly SearchTarget[]; recorded: boolean }>,
): Promise<Filter | undefined> => {
  if (filter === undefined || !needsDeclarations(filter)) return filter;
  const declared = await catalog.declaredFields(searchable.map(({ scope }) => scope));
  const bases = knowledgeBases ? declared.filter(({ id }) => knowledgeBases.includes(id)) : declared;
  if (!recorded) checkFilter(filter, bases);
  return asDeclared(filter, bases);
};

/** Knowledge bases, origins and the labels of the key are ordinary conditions that the indexes apply before they select the best k. */
const filterOf = (
  { requiredLabels }: Access,
  { knowledgeBases, origins }: SearchRequest,
  filter: Filter | undefined,
): Filter | undefined => {
  const conditions: Filter[] = [
    ...(filter === undefined ? [] : [filter]),
    ...(knowledgeBases === undefined ? [] : [{ in: { field: 'knowledgeBase', values: knowledgeBases } }]),
    ...(origins === undefined ? [] : [{ in: { field: 'origin', values: origins } }]),
    ...conditionsOf(requiredLabels),
  ];
  const [first] = conditions;
  return first === undefined || conditions.length === 1 ? first : { and: conditions };
};
