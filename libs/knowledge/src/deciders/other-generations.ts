import { Conflict } from '../errors.ts';
import type { Recipe } from '../values/recipe.ts';
import type { VectorScope } from '../values/scope.ts';
import type { Generation, Scope } from './scope-state.ts';

/** Names model and chunking, as far as it is not that of each knowledge base. */
export const nameOf = ({ embedding: { version }, chunking }: Recipe): string =>
  chunking.settings === 'knowledge-base' ? version : `${version} with the chunking ${JSON.stringify(chunking.settings)}`;

/**
 * The earlier generation that can be activated again: the one that served before the active one, if it still can; otherwise the newest.
 * @throws Conflict if there is none, with the reason
 */
export const previousGeneration = (state: Scope, scope: VectorScope): Generation => {
  const at = state.generations.findIndex(({ status }) => status === 'active');
  const earlier = state.generations.slice(0, Math.max(0, at));
  const standby = earlier.filter(({ status }) => status === 'standby');
  const previous = standby.find(({ id }) => id === state.servedBefore) ?? standby.at(-1);
  if (previous) return previous;
  const retired = earlier.findLast(({ status }) => status === 'retired');
  throw new Conflict(
    retired
      ? `generation ${retired.id} of scope "${scope}" is retired and cannot be activated again: start a swap to ${nameOf(retired.recipe)}; vectors on the log are reused`
      : `scope "${scope}" has no earlier generation to roll back to`,
  );
};

/** The generation that a cut-over would activate. */
export const laterGeneration = ({ generations }: Scope): Generation | undefined =>
  generations
    .slice(generations.findIndex(({ status }) => status === 'active') + 1)
    .findLast(({ status }) => status !== 'retired' && status !== 'companion');

/** Why no swap can be started now. */
export const comingAlready = (state: Scope, { id, recipe, status }: Generation, scope: VectorScope): string =>
  `generation ${id} (${nameOf(recipe)}, ${state.swap?.cutover ?? 'automatic'} cut-over) of scope "${scope}" ` +
  `${status === 'ready' ? 'is built and waits for its cut-over' : 'is already being built'}: finish or cancel that swap first`;
