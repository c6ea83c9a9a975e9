import { liveGenerations } from '@palimpsest/knowledge/deciders';
import type { CatalogReader } from '@palimpsest/knowledge/read-models';
import type { GenerationId, TenantId, VectorScope } from '@palimpsest/knowledge/values';
import type { SearchStart } from '../pipeline/search-state.ts';
import type { SearchTarget, SearchTargets } from '../pipeline/search-targets.ts';
import { NO_CANARIES, type CanaryRouting } from './canary-routing.ts';

/** A generation that was chosen for a scope instead of the active one. */
export type ChosenCanary = Readonly<{ scope: VectorScope; generation: GenerationId }>;

/** What is looked at of a search. */
type Answered = Readonly<{ targets: SearchTargets; lexicalOnly: readonly SearchTarget[]; failedCanaries: readonly ChosenCanary[] }>;

/**
 * Runs a search whose caller may be served by canaries. If one of them cannot answer, because its model fails or is missing here, or
 * because it was deleted meanwhile, the whole search is repeated on the active generations: never half of it, and never without an answer.
 */
export const withCanaries = async <Result extends Answered>(
  start: SearchStart,
  search: (start: SearchStart) => Promise<Result>,
): Promise<Result> => {
  const { canaries = NO_CANARIES, view, access } = start;
  const chosen: ChosenCanary[] = [];
  const noting: CanaryRouting = {
    generationFor: (scope, caller, at) => {
      const generation = canaries.generationFor(scope, caller, at);
      if (generation !== undefined) chosen.push({ scope: scope.scope, generation });
      return generation;
    },
  };
  const onActive = (): Promise<Result> => search({ ...start, canaries: NO_CANARIES });
  try {
    const searched = await search({ ...start, canaries: noting });
    if (chosen.length === 0) return searched;
    const served = chosen.filter(({ scope }) => searched.targets.searchable.some((one) => one.canary && one.scope.scope === scope));
    if (await someDeleted(served, access.tenant, view.catalog)) return await onActive();
    const lacking = served.filter(({ scope }) => searched.lexicalOnly.some((one) => one.scope.scope === scope));
    return lacking.length === 0 ? searched : { ...(await onActive()), failedCanaries: lacking };
  } catch (error) {
    if (chosen.length === 0) throw error;
    return { ...(await onActive()), failedCanaries: chosen };
  }
};

/** The index of a deleted generation is dropped after the catalog shows it as retired, so a search may have found less than there was. */
const someDeleted = async (served: readonly ChosenCanary[], tenant: TenantId, catalog: Pick<CatalogReader, 'scopes'>): Promise<boolean> => {
  if (served.length === 0) return false;
  const scopes = await catalog.scopes(tenant);
  return served.some(({ scope, generation }) => {
    const view = scopes.find((known) => known.scope.scope === scope);
    return !view || !liveGenerations({ opened: true, generations: view.generations }).some(({ id }) => id === generation);
  });
};
