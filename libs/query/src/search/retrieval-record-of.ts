import { encodedVectors, queryDigest, sealRequest } from '@palimpsest/contracts';
import type { RequiredLabels } from '@palimpsest/knowledge/access';
import type { RetrievalRuntime, SealedRequest } from '@palimpsest/knowledge/events';
import type { ScopeCipher } from '@palimpsest/knowledge/ports';
import type { GenerationId, VectorScope } from '@palimpsest/knowledge/values';
import type { Rewriting, RecordedRewriting } from '../pipeline/rewriting.ts';
import type { Searched } from '../pipeline/run-search.ts';
import type { SearchHit } from '../pipeline/search-hit.ts';
import type { RetrievalRecord } from '../retrieval-records/retrieval-record.ts';
import { recordedArrangement } from './arrangement.ts';
import { isMiss, MISS_FLOOR } from './retrieval-miss.ts';
import type { SearchRequest } from './search-request.ts';
import { digestOfTerms, sealedTerms } from './terms.ts';

type RecordedHit = Pick<SearchHit, 'chunkId' | 'documentId' | 'score' | 'relevance'>;

/** `searched`: what the stages of the search found. `requiredLabels`: those of the caller's key. */
export type Retrieval = Readonly<{
  request: SearchRequest;
  requiredLabels?: RequiredLabels | undefined;
  searched: Omit<Searched, 'hits'> & Readonly<{ hits: readonly RecordedHit[] }>;
  traceId: string;
  runtime: RetrievalRuntime;
  /** ISO 8601 in UTC. */
  retrievedAt: string;
}>;

/** `keyScope`: the scope of `cipher`. `withQuery`: the tenant opted in to record queries. */
export type Sealing = Readonly<{ cipher: ScopeCipher; keyScope: VectorScope; withQuery: boolean }>;

/** The retrieval record of a search: the complete request, with everything that says something about content sealed. */
export const retrievalRecordOf = (
  { request, requiredLabels, searched, traceId, runtime, retrievedAt }: Retrieval,
  { cipher, keyScope, withQuery }: Sealing,
): RetrievalRecord => {
  const { hits, position, timings, targets, candidates, pool, denseWeights, signs, failedCanaries } = searched;
  const { reranked, rewriting } = searched;
  const [best] = hits;
  const { query, terms, strategy, fusion, topK, minScore, minRelevance, language, knowledgeBases, origins, atLeast, snippetChars } =
    request;
  const secret = secretOf(request, { requiredLabels, searched, withQuery });
  const data = {
    traceId,
    queryHash: queryDigest(cipher, query),
    queryLength: query.length,
    keyScope,
    ...(Object.keys(secret).length === 0 ? {} : { sealedRequest: sealRequest(cipher, traceId, secret) }),
    strategy,
    fusion,
    topK,
    ...(minScore === undefined ? {} : { minScore }),
    ...(minRelevance === undefined ? {} : { minRelevance }),
    ...(language === undefined ? {} : { language }),
    filtered: isFiltered(request) || requiredLabels !== undefined,
    ...(knowledgeBases === undefined ? {} : { knowledgeBases }),
    ...(origins === undefined ? {} : { origins }),
    ...(atLeast === undefined ? {} : { atLeast: String(atLeast) }),
    snippetChars,
    ...digestOfTerms(cipher, terms),
    ...(request.spelling === false || requiredLabels !== undefined ? {} : { spelling: true as const }),
    ...recordedArrangement(request),
    limits: { candidates, missFloor: MISS_FLOOR },
    runtime,
    requestedScopes: targets.requested,
    permittedScopes: targets.permitted.map(({ scope }) => scope),
    generations: targets.searchable.map(({ scope: { scope }, partition: { generation }, embeddingVersion, recipe, canary }, i) => ({
      scope,
      generation,
      embeddingVersion,
      recipe,
      ...(denseWeights[i] === undefined ? {} : { denseWeight: denseWeights[i] }),
      ...(canary === undefined ? {} : { canary }),
      ...failedIn(failedCanaries, scope),
      ...signs[i],
    })),
    pool,
    ...recordedRewriting(rewriting),
    ...(reranked === undefined ? {} : { reranking: reranked }),
    ...(best === undefined ? {} : { topScore: best.score }),
    stages: timings.stages,
    latencyMs: timings.totalMs,
    hits: hits.map(({ chunkId, documentId, score }) => ({ chunkId, documentId, score })),
    position: String(position),
    retrievedAt,
  };
  return { type: 'KnowledgeRetrieved', data, ...(isMiss(hits) ? { miss: { floor: MISS_FLOOR } } : {}) };
};

const isFiltered = ({ filter, terms, knowledgeBases, origins }: SearchRequest): boolean =>
  [filter, terms, knowledgeBases, origins].some((limit) => limit !== undefined);

/** The part of a request that says something about content. */
const secretOf = (
  { query, terms, filter, minRelevance }: SearchRequest,
  {
    requiredLabels,
    searched: { queryVectors, backgrounds, rewriting },
    withQuery,
  }: Pick<Retrieval, 'requiredLabels' | 'searched'> & Pick<Sealing, 'withQuery'>,
): SealedRequest => ({
  ...(filter === undefined ? {} : { filter }),
  ...(requiredLabels === undefined ? {} : { requiredLabels }),
  ...(withQuery ? { query, ...sealedTerms(terms), vectors: encodedVectors(queryVectors), ...textsOf(rewriting) } : {}),
  // Sealed, as they are a function of the query: in the clear, they could confirm a guess.
  ...(minRelevance === undefined || backgrounds.size === 0 ? {} : { backgrounds: Object.fromEntries(backgrounds) }),
});

/** Its texts say something about content, so they are sealed with the query. */
const recordedRewriting = (rewriting: Rewriting | undefined): Readonly<{ rewriting?: RecordedRewriting }> => {
  if (rewriting === undefined) return {};
  const { by, model, outcome, reason } = rewriting;
  return { rewriting: { by, model, outcome, ...(reason === undefined ? {} : { reason }) } };
};

const textsOf = (rewriting: Rewriting | undefined): Pick<SealedRequest, 'rewriting'> =>
  rewriting === undefined || rewriting.texts.length === 0 ? {} : { rewriting: rewriting.texts };

const failedIn = (failed: Searched['failedCanaries'], scope: VectorScope): Readonly<{ failedCanary?: GenerationId }> => {
  const one = failed.find((canary) => canary.scope === scope);
  return one === undefined ? {} : { failedCanary: one.generation };
};
