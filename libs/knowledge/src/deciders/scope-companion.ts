import { Conflict, InvalidValue } from '../errors.ts';
import type { Cutover } from '../events/cutover.ts';
import { chunkListOf, type Recipe } from '../values/recipe.ts';
import type { VectorScope } from '../values/scope.ts';
import { activeGeneration, isEquivalent, type Generation, type Scope } from './scope-state.ts';

export const companionOf = ({ generations }: Pick<Scope, 'generations'>): Generation | undefined =>
  generations.find(({ status }) => status === 'companion');

type Asked = Readonly<{ recipe: Recipe; cutover: Cutover }>;

/** Whether the companion that is asked for is there. */
export const isKept = (state: Scope, { recipe, cutover }: Asked): boolean => {
  const present = companionOf(state);
  return cutover === 'companion' && present !== undefined && isEquivalent(present.recipe, recipe);
};

/**
 * Nothing is refused for another cut-over. A companion scores the chunks that the active generation finds, so it needs the same ones.
 * @throws Conflict if the scope has a companion already, or the model is the one that answers; InvalidValue if its chunks are others
 */
export const refuseCompanion = (state: Scope, { scope, recipe, cutover }: Asked & Readonly<{ scope: VectorScope }>): void => {
  const active = activeGeneration(state);
  if (cutover !== 'companion' || !active) return;
  const { version } = recipe.embedding;
  const present = companionOf(state);
  if (present)
    throw new Conflict(
      `scope "${scope}" has the companion ${present.id} (${present.embeddingVersion}) already: retire it before another one is started`,
    );
  if (chunkListOf(active.recipe.chunking) !== chunkListOf(recipe.chunking))
    throw new InvalidValue(
      'chunking',
      'none for a companion, which has the chunks of the active generation',
      JSON.stringify(recipe.chunking.settings),
    );
  if (active.embeddingVersion === version)
    throw new Conflict(`scope "${scope}" is searched with the model ${version}: a companion needs another one`);
};
