import type { ChunkId, DocumentId, EmbeddingVersion } from '@palimpsest/knowledge/values';
import type { Reranking } from '../pipeline/reranking.ts';
import type { Searched } from '../pipeline/run-search.ts';
import type { SkipReason, StageTiming } from '../pipeline/stage-run.ts';
import type { SearchRequest } from './search-request.ts';

/** A search as its observers see it: ids and figures. */
export type RetrievalSeen = Readonly<{
  /** The `traceId` of the response and of the retrieval record. */
  id: string;
  strategy: SearchRequest['strategy'];
  topK: number;
  /** Of the query, in UTF-16 units. */
  queryLength: number;
  models: readonly EmbeddingVersion[];
  hits: readonly Readonly<{ chunkId: ChunkId; documentId: DocumentId; score: number }>[];
  stages: readonly StageTiming[];
  /** The stages that the search did without, by name. */
  skipped: Readonly<Record<string, SkipReason>>;
  /** The outcome of its reranking; only of a search with a reranker. */
  reranking?: Reranking['outcome'];
  /** The query and the text of each hit, only if the tenant opted in to record its queries. */
  texts?: Readonly<{ query: string; hits: readonly string[] }>;
}>;

/** Runs a search and observes it. Returns and throws what the search does. */
export type ObserveRetrieval = <Found>(search: () => Promise<Found>, seen: (found: Found) => RetrievalSeen) => Promise<Found>;

export const unobserved: ObserveRetrieval = (search) => search();

export const retrievalSeen = (
  { query, strategy, topK }: SearchRequest,
  { hits, targets, timings: { stages }, skipped, reranked }: Pick<Searched, 'hits' | 'targets' | 'timings' | 'skipped' | 'reranked'>,
  id: string,
  { withTexts }: Readonly<{ withTexts: boolean }>,
): RetrievalSeen => ({
  id,
  strategy,
  topK,
  queryLength: query.length,
  models: [...new Set(targets.searchable.map(({ embeddingVersion }) => embeddingVersion))],
  hits: hits.map(({ chunkId, documentId, score }) => ({ chunkId, documentId, score })),
  stages,
  skipped,
  ...(reranked ? { reranking: reranked.outcome } : {}),
  ...(withTexts ? { texts: { query, hits: hits.map(({ text }) => text) } } : {}),
});
