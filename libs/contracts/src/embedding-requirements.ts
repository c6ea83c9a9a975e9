import { EmbeddingModelMismatch, InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import type { Embedding } from '@palimpsest/knowledge/ports';
import { embeddingVersionOf, embeddingVersionParts, type EmbeddingVersion } from '@palimpsest/knowledge/values';

/** Checked before the cache: the provider would see only the texts that are not cached, and report another index. @throws InvalidValue */
export const refuseBlank = (texts: readonly string[]): void => {
  const blank = texts.findIndex((text) => text.trim() === '');
  if (blank >= 0) throw new InvalidValue(`texts[${blank}]`, 'a text that is not blank', texts[blank]);
};

/**
 * Validates embeddings before they are cached, since cached ones are used for a long time.
 * @throws Unavailable if the number of embeddings and texts differs
 * @throws EmbeddingModelMismatch if the width of a vector differs from the version
 */
export const requireFit = (embeddings: readonly Embedding[], count: number, version: EmbeddingVersion): void => {
  if (embeddings.length !== count) throw new Unavailable(`${version} returned ${embeddings.length} embeddings for ${count} texts`);
  const parts = embeddingVersionParts(version);
  for (const { vector } of embeddings)
    if (vector.length !== parts.dimensions)
      throw new EmbeddingModelMismatch(version, [embeddingVersionOf({ ...parts, dimensions: vector.length })]);
};
