import {
  EmbeddingModelMismatch,
  embeddingVersionOf,
  embeddingVersionParts,
  InvalidValue,
  Unavailable,
  type Embedding,
  type EmbeddingVersion,
} from '@palimpsest/knowledge';

/** Here already, since the provider sees only what was not found, and would name another place. @throws InvalidValue */
export const refuseBlank = (texts: readonly string[]): void => {
  const blank = texts.findIndex((text) => text.trim() === '');
  if (blank >= 0) throw new InvalidValue(`texts[${blank}]`, 'a text that is not blank', texts[blank]);
};

/**
 * What is kept is given out for long, and by others: it is looked at once more before.
 * @throws Unavailable when there is not one embedding per text
 * @throws EmbeddingModelMismatch when one has another width than the version's
 */
export const requireFit = (embeddings: readonly Embedding[], count: number, version: EmbeddingVersion): void => {
  if (embeddings.length !== count) throw new Unavailable(`${version} gave ${embeddings.length} embeddings for ${count} texts`);
  const parts = embeddingVersionParts(version);
  for (const { vector } of embeddings)
    if (vector.length !== parts.dimensions)
      throw new EmbeddingModelMismatch(version, [embeddingVersionOf({ ...parts, dimensions: vector.length })]);
};
