import type { RetrievalRecord } from '../traces/retrieval-record.ts';
import { isMiss, MISS_FLOOR } from './retrieval-miss.ts';
import type { SearchAnswer } from './search-answer.ts';
import type { SearchRequest } from './search-request.ts';
import type { SearchSpace } from './searchable.ts';

/** What goes onto the log of a search: everything but its text. */
export const retrievalRecordOf = (of: Readonly<{ request: SearchRequest; space: SearchSpace; answer: SearchAnswer; pool: number; queryHash: string }>): RetrievalRecord => {
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
    ...(request.language === undefined ? {} : { language: request.language }),
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
  return { type: 'KnowledgeRetrieved', data, ...(isMiss(answer.hits) ? { miss: { floor: MISS_FLOOR } } : {}) };
};
