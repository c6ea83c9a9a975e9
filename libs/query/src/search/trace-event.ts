import type { KnowledgeRetrievalMiss, KnowledgeRetrieved } from '@palimpsest/knowledge';
import type { SearchAnswer } from './search-answer.ts';
import type { SearchRequest } from './search-request.ts';
import type { SearchSpace } from './searchable.ts';

/** Fewer than two hits over this score (cosine, where there is one) count as a miss. */
export const MISS_FLOOR = 0.3;

/** What goes onto the log of a search: everything but its text. */
export const traceEvent = (of: Readonly<{ request: SearchRequest; space: SearchSpace; answer: SearchAnswer; pool: number; queryHash: string }>): KnowledgeRetrieved | KnowledgeRetrievalMiss => {
  const { request, space, answer, pool, queryHash } = of;
  const [best] = answer.hits;
  const data = {
    traceId: answer.traceId,
    queryHash,
    queryLength: request.query.length,
    strategy: request.strategy,
    fusion: request.fusion,
    topK: request.topK,
    ...(request.minScore === undefined ? {} : { minScore: request.minScore }),
    filtered: request.filter !== undefined || request.knowledgeBases !== undefined || request.origins !== undefined,
    requestedScopes: space.requested,
    permittedScopes: space.permitted.map(({ scope }) => scope),
    generations: space.searchable.map(({ scope: { scope }, partition: { generation }, embeddingVersion }) => ({ scope, generation, embeddingVersion })),
    pool,
    ...(best === undefined ? {} : { topScore: best.score }),
    stages: answer.timings.stages,
    latencyMs: answer.timings.totalMs,
    hits: answer.hits.map(({ chunkId, documentId, score }) => ({ chunkId, documentId, score })),
    position: String(answer.position),
    retrievedAt: new Date().toISOString(),
  };
  const strong = answer.hits.filter(({ relevance }) => relevance >= MISS_FLOOR).length;
  return strong < 2 ? { type: 'KnowledgeRetrievalMiss', data: { ...data, floor: MISS_FLOOR } } : { type: 'KnowledgeRetrieved', data };
};
