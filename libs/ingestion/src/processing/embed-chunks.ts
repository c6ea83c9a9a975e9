import type { System } from '@palimpsest/foundation';
import { embedPassages, type EmbeddedPassage } from '@palimpsest/contracts';
import { KnowledgeError } from '@palimpsest/knowledge/errors';
import type { Embedder } from '@palimpsest/knowledge/ports';
import type { IdentifiedChunk } from './chunk-document.ts';

export type EmbeddedChunk = Readonly<{ chunk: IdentifiedChunk; embedding: EmbeddedPassage }>;
export type UnembeddableChunk = Readonly<{ chunk: IdentifiedChunk; reason: string }>;

const isRetryable = (error: unknown): boolean => !(error instanceof KnowledgeError) || error.retryable;

/**
 * Embeds a few chunks. Chunks that the model refuses are returned separately. Retryable errors are thrown.
 */
export const embedChunks = async (
  provider: Embedder,
  chunks: readonly IdentifiedChunk[],
  signal: AbortSignal,
  kind: 'passage' | 'background' = 'passage',
  system?: System,
): Promise<Readonly<{ embedded: readonly EmbeddedChunk[]; refused: readonly UnembeddableChunk[] }>> => {
  try {
    const embeddings = await embedPassages(
      provider,
      chunks.map(({ content }) => content),
      signal,
      kind,
      system,
    );
    return { embedded: chunks.flatMap((chunk, i) => (embeddings[i] ? [{ chunk, embedding: embeddings[i] }] : [])), refused: [] };
  } catch (error) {
    if (isRetryable(error)) throw error;
    if (chunks.length === 1) return { embedded: [], refused: chunks.map((chunk) => ({ chunk, reason: String((error as Error).message) })) };
    const alone = [];
    for (const chunk of chunks) alone.push(await embedChunks(provider, [chunk], signal, kind, system));
    return { embedded: alone.flatMap(({ embedded }) => embedded), refused: alone.flatMap(({ refused }) => refused) };
  }
};
