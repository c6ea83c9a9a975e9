import { ModelChanged } from '@palimpsest/knowledge/errors';
import type { Generation } from '@palimpsest/knowledge/deciders';
import type { CanaryCheck } from '@palimpsest/knowledge/models';
import type { EmbeddingProviders, ModelRegistry } from '@palimpsest/knowledge/ports';

export type ComparedModels = Pick<EmbeddingProviders, 'recipeOf'> & Pick<ModelRegistry, 'verify'>;

/**
 * Whether the model of a generation is the one with which the generation was started. A model of files is compared by their digest, any other by its
 * canary strings. @throws ModelChanged; errors of the model
 */
export const requireSameModel = async (
  models: ComparedModels,
  { embeddingVersion, recipe }: Generation,
  signal?: AbortSignal,
): Promise<CanaryCheck | undefined> => {
  const { digest } = models.recipeOf(embeddingVersion).embedding;
  const started = recipe.embedding.digest;
  if (digest !== undefined && started !== undefined && digest !== started)
    throw new ModelChanged(embeddingVersion, 'its files have another digest than when the generation was started');
  return models.verify(embeddingVersion, signal);
};

/** Undefined if the model is the same, or cannot be compared now. */
export const whyChanged = async (models: ComparedModels, generation: Generation): Promise<string | undefined> => {
  try {
    await requireSameModel(models, generation);
  } catch (error) {
    if (error instanceof ModelChanged) return error.message;
  }
  return undefined;
};
