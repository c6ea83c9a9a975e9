import { encodedVectors, queryDigest, sealRequest } from '@palimpsest/contracts';
import type { EmbeddingVersion, RetrievalRuntime, ScopeCipher, SealedRequest, VectorScope } from '@palimpsest/knowledge';
import type { RetrievalRecord } from '../retrieval-records/retrieval-record.ts';
import { isMiss, MISS_FLOOR } from './retrieval-miss.ts';
import type { SearchAnswer } from './search-answer.ts';
import type { SearchRequest } from './search-request.ts';
import type { SearchTargets } from './search-targets.ts';

/** `candidates`: requested from each index. `denseWeights`: of each target. `pool`: candidates after fusion. */
export type Retrieval = Readonly<{
  request: SearchRequest; space: SearchTargets; answer: SearchAnswer; pool: number; candidates: number; denseWeights: readonly number[]; runtime: RetrievalRuntime;
  queryVectors: ReadonlyMap<EmbeddingVersion, Float32Array>;
}>;

/** `keyScope`: the scope of `cipher`. `withQuery`: the tenant opted in to record queries. */
export type Sealing = Readonly<{ cipher: ScopeCipher; keyScope: VectorScope; withQuery: boolean }>;

/** The retrieval record of a search: the complete request, with everything that says something about content sealed. */
export const retrievalRecordOf = ({ request, space, answer, pool, candidates, denseWeights, runtime, queryVectors }: Retrieval, { cipher, keyScope, withQuery }: Sealing): RetrievalRecord => {
  const [best] = answer.hits;
  const { query, strategy, fusion, topK, minScore, language, filter, knowledgeBases, origins, atLeast, snippetChars } = request;
  const secret: SealedRequest = {
    ...(filter === undefined ? {} : { filter }),
    ...(withQuery ? { query, vectors: encodedVectors(queryVectors) } : {}),
  };
  const data = {
    traceId: answer.traceId,
    queryHash: queryDigest(cipher, query),
    queryLength: query.length,
    keyScope,
    ...(Object.keys(secret).length === 0 ? {} : { sealedRequest: sealRequest(cipher, answer.traceId, secret) }),
    strategy,
    fusion,
    topK,
    ...(minScore === undefined ? {} : { minScore }),
    ...(language === undefined ? {} : { language }),
    filtered: filter !== undefined || knowledgeBases !== undefined || origins !== undefined,
    ...(knowledgeBases === undefined ? {} : { knowledgeBases }),
    ...(origins === undefined ? {} : { origins }),
    ...(atLeast === undefined ? {} : { atLeast: String(atLeast) }),
    snippetChars,
    limits: { candidates, missFloor: MISS_FLOOR },
    runtime,
    requestedScopes: space.requested,
    permittedScopes: space.permitted.map(({ scope }) => scope),
    generations: space.searchable.map(({ scope: { scope }, partition: { generation }, embeddingVersion, recipe }, i) => ({
      scope, generation, embeddingVersion, recipe, ...(denseWeights[i] === undefined ? {} : { denseWeight: denseWeights[i] }),
    })),
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
