import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import type { ChunkingRecipe, ChunkingSettings, EmbeddingVersion, Recipe } from '@palimpsest/knowledge/values';

/** What a swap changes of a recipe. */
export type RecipeTarget = Readonly<{
  embeddingVersion?: string;
  chunking?: ChunkingSettings | 'knowledge-base';
  analyser?: string;
  contextual?: string;
}>;

type Models = Pick<EmbeddingProviders, 'current' | 'versions' | 'recipeOf'>;

/**
 * The recipe of a new generation. Without a model it is the current one, unless only the chunking is to change: then the scope keeps its
 * model. @throws InvalidValue that names the field, and what there is
 */
export const wantedRecipe = (
  models: Models,
  active: Recipe | undefined,
  { embeddingVersion, chunking, analyser, contextual }: RecipeTarget,
): Recipe => {
  const version = wantedModel(models, embeddingVersion ?? (chunking === undefined ? undefined : active?.embedding.version));
  const recipe = models.recipeOf(version);
  if (analyser !== undefined && analyser !== recipe.analyser)
    throw new InvalidValue('analyser', `a version of the word analysis that this build has: ${recipe.analyser}`, analyser);
  if (contextual !== undefined && contextual !== 'none')
    throw new InvalidValue('contextual', 'a variant of contextual descriptions that this build has: none', contextual);
  return { ...recipe, chunking: chunkingOf(active?.chunking ?? recipe.chunking, chunking) };
};

const chunkingOf = (known: ChunkingRecipe, settings: RecipeTarget['chunking']): ChunkingRecipe =>
  settings === undefined ? known : { ...known, settings };

/** @throws InvalidValue naming the models that there are */
export const wantedModel = (models: Pick<Models, 'current' | 'versions'>, asked: string | undefined): EmbeddingVersion => {
  if (asked === undefined) return models.current.version;
  const found = models.versions().find((version) => version === asked);
  if (found === undefined) throw new InvalidValue('embeddingVersion', `a configured model: ${models.versions().join(', ')}`, asked);
  return found;
};
