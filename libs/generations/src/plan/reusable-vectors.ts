import type { Journal } from '@palimpsest/contracts';
import { document as decider, documentStream } from '@palimpsest/knowledge/deciders';
import type { Scope } from '@palimpsest/knowledge/deciders';
import type { ReusableVectors } from '@palimpsest/knowledge/plans';
import type { ChunkId, EmbeddingVersion, TenantScope } from '@palimpsest/knowledge/values';
import type { CountedChunk, CountedTexts } from './count-texts.ts';

/** `missing`: tokens of the chunks without a reusable vector, as a share of all tokens. */
export type Reuse = ReusableVectors & Readonly<{ missing: number }>;

/** Every text is embedded. */
const NOTHING_REUSED: Reuse = { chunks: 0, exact: true, missing: 1 };

/** Documents whose streams are read. Streams have texts and vectors, so reading them is the most expensive part of a plan. */
const MAX_DOCUMENTS = 200;

/**
 * Finds the chunks that have a vector of the version on the log already, from an earlier swap to the model. Without such a swap there are
 * none. Reads the documents of the counted chunks: all of them, or of a sample.
 */
export const reusableVectors = async (
  journal: Journal,
  scope: TenantScope,
  state: Pick<Scope, 'generations'>,
  version: EmbeddingVersion,
  { chunks, read }: CountedTexts,
  { signal, maxDocuments = MAX_DOCUMENTS }: Readonly<{ signal: AbortSignal; maxDocuments?: number }>,
): Promise<Reuse> => {
  if (!state.generations.some(({ embeddingVersion }) => embeddingVersion === version)) return NOTHING_REUSED;
  const chosen = new Set([...new Set(read.map(({ documentId }) => documentId))].slice(0, maxDocuments));
  const known = new Set<ChunkId>();
  for (const documentId of chosen) {
    signal.throwIfAborted();
    const { state: document } = await journal.load(decider, documentStream(scope.tenant, documentId));
    for (const [chunkId, { vectors }] of document.recorded) if (vectors.has(version)) known.add(chunkId);
  }
  const sample = read.filter(({ documentId }) => chosen.has(documentId));
  const reusable = sample.filter(({ chunkId }) => known.has(chunkId));
  const exact = sample.length === chunks;
  const share = sample.length === 0 ? 0 : reusable.length / sample.length;
  const [all, kept] = [tokensOf(sample), tokensOf(reusable)];
  return { chunks: exact ? reusable.length : Math.round(share * chunks), exact, missing: all === 0 ? 1 : (all - kept) / all };
};

const tokensOf = (chunks: readonly CountedChunk[]): number => chunks.reduce((sum, { tokens }) => sum + tokens, 0);
