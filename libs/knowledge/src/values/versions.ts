import { InvalidValue } from '../errors.ts';
import type { Branded } from './brand.ts';
import { PATTERNS } from './value-limits.ts';

/**
 * The model that computed a vector: `<provider>:<model>/<dimensions>`, for example `onnx:all-minilm-l6-v2-int8/384`.
 * Vectors of different versions are never compared, even if they have the same dimensions.
 */
export type EmbeddingVersion = Branded<string, 'EmbeddingVersion'>;

/**
 * Maximum dimensions of a vector. Every vector index supports them (its contract requires it). An event with a wider vector could not
 * be projected and would block all later events.
 */
export const MAX_DIMENSIONS = 4_096;

const EMBEDDING = /^([a-z0-9][a-z0-9-]*):([^\s]{1,200})\/([1-9][0-9]{0,4})$/;

/** @throws InvalidValue */
export const embeddingVersion = (raw: unknown, field = 'embeddingVersion'): EmbeddingVersion => {
  const dimensions = typeof raw === 'string' ? EMBEDDING.exec(raw)?.[3] : undefined;
  if (dimensions === undefined)
    throw new InvalidValue(field, '"<provider>:<model>/<dimensions>", for example "onnx:all-minilm-l6-v2-int8/384"', raw);
  if (Number(dimensions) > MAX_DIMENSIONS) throw new InvalidValue(field, `a model with at most ${MAX_DIMENSIONS} dimensions`, raw);
  return raw as EmbeddingVersion;
};

export const embeddingVersionOf = (parts: Readonly<{ provider: string; model: string; dimensions: number }>): EmbeddingVersion =>
  embeddingVersion(`${parts.provider}:${parts.model}/${parts.dimensions}`);

export const embeddingVersionParts = (version: EmbeddingVersion): Readonly<{ provider: string; model: string; dimensions: number }> => {
  const [, provider = '', model = '', dimensions = ''] = EMBEDDING.exec(version) ?? [];
  return { provider, model, dimensions: Number(dimensions) };
};

/**
 * How a text was chunked: `<chunker>@<revision>` and the settings after a slash, for example `markdown@1/1500`.
 * The suffix `+cr` marks contextual descriptions. A document is re-chunked when its chunking version changes.
 */
export type ChunkingVersion = Branded<string, 'ChunkingVersion'>;

const CHUNKING = /^[a-z][a-z-]*@[0-9]+(?:\/[0-9a-z.,=-]+)?(?:\+cr)?$/;

/** @throws InvalidValue */
export const chunkingVersion = (raw: unknown, field = 'chunkingVersion'): ChunkingVersion => {
  if (typeof raw !== 'string' || !CHUNKING.test(raw))
    throw new InvalidValue(field, '"<chunker>@<revision>[/<settings>][+cr]", for example "markdown@1/1500"', raw);
  return raw as ChunkingVersion;
};

/** One complete set of read models of a scope: `g1`, `g2`, … in the order of creation. */
export type GenerationId = Branded<string, 'GenerationId'>;

const GENERATION = new RegExp(PATTERNS.generationId);

/** @throws InvalidValue */
export const generationId = (raw: unknown, field = 'generation'): GenerationId => {
  if (typeof raw !== 'string' || !GENERATION.test(raw)) throw new InvalidValue(field, '"g1", "g2", …', raw);
  return raw as GenerationId;
};

export const generationNumber = (id: GenerationId): number => Number(id.slice(1));
