import { EmbeddingModelMismatch, Unavailable } from '@palimpsest/knowledge/errors';
import { embeddingVersionOf, embeddingVersionParts, type EmbeddingVersion } from '@palimpsest/knowledge/values';
import { fieldsOf } from './fields-of.ts';

export type EmbeddingAnswer = Readonly<{
  /** Unit vectors in the order of the texts. */
  vectors: readonly Float32Array[];
  /** Token count of the whole batch, as reported by the endpoint. */
  promptTokens: number | undefined;
}>;

/**
 * Parses a response of the embeddings endpoint without trusting it: one vector per text, sorted by `index` (an endpoint may
 * return them in any order), as numbers or as base64 of float32, with the dimensions of the version.
 *
 * @throws Unavailable if it is not a response to `count` texts
 * @throws EmbeddingModelMismatch if the vectors have other dimensions
 */
export const embeddingAnswer = (answer: unknown, count: number, version: EmbeddingVersion): EmbeddingAnswer => {
  const { data, usage } = fieldsOf(answer);
  if (!Array.isArray(data) || data.length !== count)
    throw unusable(`${Array.isArray(data) ? data.length : 'no'} vectors for ${count} texts`);

  const vectors: Float32Array[] = [];
  data.forEach((item: unknown, place) => {
    const { index = place, embedding } = fieldsOf(item);
    if (!Number.isInteger(index) || Number(index) < 0 || Number(index) >= count || vectors[Number(index)] !== undefined)
      throw unusable('vectors with missing or duplicate indexes');
    vectors[Number(index)] = unitVector(numbers(embedding), version);
  });
  const promptTokens = fieldsOf(usage)['prompt_tokens'];
  return { vectors, promptTokens: Number.isInteger(promptTokens) && Number(promptTokens) > 0 ? Number(promptTokens) : undefined };
};

const numbers = (embedding: unknown): readonly number[] => {
  if (Array.isArray(embedding) && embedding.every((value) => typeof value === 'number')) return embedding as number[];
  if (typeof embedding !== 'string') throw unusable('vectors that are neither numbers nor base64');
  const bytes = Buffer.from(embedding, 'base64');
  if (bytes.length % 4 !== 0) throw unusable('vectors that are not whole float32 numbers');
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
};

const unitVector = (values: readonly number[], version: EmbeddingVersion): Float32Array => {
  const parts = embeddingVersionParts(version);
  if (values.length === 0) throw unusable('an empty vector');
  if (values.length !== parts.dimensions)
    throw new EmbeddingModelMismatch(version, [embeddingVersionOf({ ...parts, dimensions: values.length })]);
  const length = Math.sqrt(values.reduce((squares, value) => squares + value * value, 0));
  if (!Number.isFinite(length) || length === 0) throw unusable('a vector without a direction');
  return Float32Array.from(values, (value) => value / length);
};

const unusable = (what: string): Unavailable => new Unavailable(`the embedding endpoint returned ${what}`);
