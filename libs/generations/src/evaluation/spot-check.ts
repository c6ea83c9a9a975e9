import { embedPassages } from '@palimpsest/contracts';
import type { PermittedScope } from '@palimpsest/knowledge/access';
import type { Generation } from '@palimpsest/knowledge/deciders';
import type { Embedder } from '@palimpsest/knowledge/ports';
import type { CatalogReader, VectorSearch } from '@palimpsest/knowledge/read-models';
import { chunkListOf, type ChunkId } from '@palimpsest/knowledge/values';
import type { SampledText } from './sample-texts.ts';

export type SpotCheck = Readonly<{
  checked: number;
  mismatched: readonly Readonly<{ chunkId: ChunkId; cosine: number }>[];
  lowest?: number;
}>;

export type SpotCheckPorts = Readonly<{ catalog: Pick<CatalogReader, 'visible'>; vectors: Pick<VectorSearch, 'search'> }>;

/**
 * Vectors of the same text and model differ only by rounding, also between machines and from one call of an endpoint to the next. A
 * missing passage prefix, another text or missing dimensions give less.
 */
const SAME_VECTOR = 0.995;
const BATCH = 16;
/** Chunks of one document that are searched for its sampled one. */
const CHUNKS_OF_DOCUMENT = 1_000;

/**
 * Embeds chunks again and compares the results with the vectors that searches use: finds vectors of other chunks, of another text, with
 * another prefix or cut short. The model is called without its cache, which would return what it returned before.
 */
export const spotCheck = async (
  ports: SpotCheckPorts,
  scope: PermittedScope,
  generation: Generation,
  embedder: Embedder,
  texts: readonly SampledText[],
  signal: AbortSignal,
): Promise<SpotCheck> => {
  const found: { chunkId: ChunkId; cosine: number }[] = [];
  for (let from = 0; from < texts.length; from += BATCH) {
    signal.throwIfAborted();
    const batch = texts.slice(from, from + BATCH);
    const embedded = await embedPassages(
      embedder,
      batch.map(({ text }) => text),
      signal,
    );
    for (const [i, sampled] of batch.entries()) {
      const vector = embedded[i]?.vector;
      const cosine = vector && (await cosineOf(ports, scope, generation, sampled, vector));
      if (cosine !== undefined) found.push({ chunkId: sampled.chunkId, cosine });
    }
  }
  const lowest = found.reduce<number | undefined>((least, { cosine }) => Math.min(least ?? 1, cosine), undefined);
  return {
    checked: found.length,
    mismatched: found.filter(({ cosine }) => cosine < SAME_VECTOR),
    ...(lowest === undefined ? {} : { lowest }),
  };
};

/** Between this vector and that of the chunk in the index. Undefined if the chunk was removed meanwhile, or has no vector, which coverage reports. */
const cosineOf = async (
  { catalog, vectors }: SpotCheckPorts,
  scope: PermittedScope,
  { id: generation, recipe }: Generation,
  { chunkId, documentId }: SampledText,
  vector: Float32Array,
): Promise<number | undefined> => {
  const filter = { eq: { field: 'documentId', value: documentId } };
  const hits = await vectors.search({ scope, generation }, vector, { k: CHUNKS_OF_DOCUMENT, filter });
  // In a huge document the chunk may be out of reach: then it is at most as near as the last hit.
  const outOfReach = hits.length === CHUNKS_OF_DOCUMENT ? hits.at(-1)?.score : undefined;
  const cosine = hits.find((hit) => hit.chunkId === chunkId)?.score ?? outOfReach;
  if (cosine === undefined || cosine >= SAME_VECTOR) return cosine;
  return (await catalog.visible([scope], [chunkId], chunkListOf(recipe.chunking))).has(chunkId) ? cosine : undefined;
};
