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
  const retired = earlier.at(-1);
  throw new Conflict(
    retired
      ? `generation ${retired.id} of scope "${scope}" is retired and cannot be activated again: start a swap to ${nameOf(retired.recipe)}; vectors on the log are reused`
      : `scope "${scope}" has no earlier generation to roll back to`,
  );
};
