import { authorise } from '@palimpsest/knowledge/access';
import { activeGeneration } from '@palimpsest/knowledge/deciders';
import { primaryLanguage } from '@palimpsest/knowledge/texts';
import type { Access, Filter } from '@palimpsest/knowledge/access';
import type { CatalogReader } from '@palimpsest/knowledge/read-models';
import type { SearchRequest } from '../search/search-request.ts';
import { refuseUnknown } from './refuse-unknown.ts';
import type { SearchStart, Targeted } from './search-state.ts';
import type { SearchTarget, SearchTargets } from './search-targets.ts';
import type { Stage } from './stage.ts';
import { VisibilityFilter } from './visibility-filter.ts';

/** Number of candidates that each retrieval passes to fusion: enough to keep a hit that only one of them ranks high. */
const poolSize = (topK: number): number => Math.max(100, topK * 4);

/** Finds the scopes to search, and what to look for in them. @throws NotFound as `refuseUnknown` does */
export const resolveTargets: Stage<SearchStart, Targeted> = {
  name: 'authorise',
  run: async ({ access, request, view: { catalog } }) => {
    const targets = await targetsOf(access, request, catalog);
    const { searchable, permitted } = targets;
    const shown = new VisibilityFilter(catalog, permitted);
    return {
      targets,
      wanted: {
        searchable,
        filter: filterOf(request),
        pool: poolSize(request.topK),
        shown,
        calibrated: isCalibrated(request),
        ...languageOf(request),
      },
    };
  },
  count: ({ targets }) => targets.searchable.length,
};

const targetsOf = async (access: Access, request: SearchRequest, catalog: CatalogReader): Promise<SearchTargets> => {
  const scopes = await catalog.scopes(access.tenant);
  const known = scopes.map(({ scope: { scope } }) => scope);
  await refuseUnknown(access, request, known, catalog);
  const requested = request.scopes ?? known;
  const permitted = authorise(access, requested);
  const searchable = permitted.flatMap((scope): SearchTarget[] => {
    const view = scopes.find((known) => known.scope.scope === scope.scope);
    const active = view && activeGeneration({ opened: true, generations: view.generations });
    return active
      ? [{ scope, partition: { scope, generation: active.id }, embeddingVersion: active.embeddingVersion, recipe: active.recipe }]
      : [];
  });
  return { requested, permitted, searchable };
};

/** The scores of one scope are comparable with each other; only adding them to those of another search needs calibration. */
const isCalibrated = ({ strategy, fusion }: SearchRequest): boolean => strategy === 'DenseSparseHybrid' && fusion === 'zscore';

/** Region and script of the tag do not affect stemming. */
const languageOf = ({ language: tag }: SearchRequest): Readonly<{ language?: string }> => {
  const language = primaryLanguage(tag ?? 'und');
  return language === 'und' ? {} : { language };
};

/** Knowledge bases and origins are ordinary conditions that the indexes apply before they select the best k. */
const filterOf = ({ filter, knowledgeBases, origins }: SearchRequest): Filter | undefined => {
  const conditions: Filter[] = [
    ...(filter === undefined ? [] : [filter]),
    ...(knowledgeBases === undefined ? [] : [{ in: { field: 'knowledgeBase', values: knowledgeBases } }]),
    ...(origins === undefined ? [] : [{ in: { field: 'origin', values: origins } }]),
  ];
  const [first] = conditions;
  return first === undefined || conditions.length === 1 ? first : { and: conditions };
};
