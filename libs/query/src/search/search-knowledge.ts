import { randomUUID } from 'node:crypto';
import { openText } from '@palimpsest/contracts';
import { primaryLanguage, assertVisible, Unavailable } from '@palimpsest/knowledge';
import type {
  Access, QuotaPolicy, ChunkId, EmbeddingProviders, EmbeddingVersion, Filter, LexicalSearch, ReadView, RetrievalRuntime, ScopeKeys, VectorHit, VectorSearch, Views,
} from '@palimpsest/knowledge';
import type { RetrievalRecordQueue } from '../retrieval-records/retrieval-record-queue.ts';
import { VisibilityFilter } from './visibility-filter.ts';
import type { FusedHit } from '../ranking/fusion.ts';
import { EMPTY_LIST, type RankedList } from '../ranking/ranked-list.ts';
import { denseWeightOf, denseWeights } from './dense-weight.ts';
import { denseCandidates, lexicalCandidates, type LexicalCandidates, type Located, type Wanted } from './find-candidates.ts';
import { fuseCandidates } from './fuse-candidates.ts';
import { hitOf, type SearchHit } from './search-hit.ts';
import type { SearchAnswer } from './search-answer.ts';
import type { SearchRequest } from './search-request.ts';
import { queryVectors, searchTargets, type SearchTargets } from './search-targets.ts';
import { Stages } from './stages.ts';
import { keyScopeOf } from './key-scope.ts';
import { retrievalRecordOf, type Retrieval } from './retrieval-record-of.ts';

export type SearchPorts = Readonly<{
  views: Views; keys: ScopeKeys; providers: EmbeddingProviders; records: RetrievalRecordQueue; quotaPolicy: QuotaPolicy;
  /** The version of Palimpsest that the record names. */
  version: string;
}>;

/** Number of candidates that each search passes to fusion: enough to keep a hit that only one of them ranks high. */
const poolSize = (topK: number): number => Math.max(100, topK * 4);

/** The one entry point of retrieval: authorise → embed → dense ∥ BM25 → fuse → snippets → retrieval record. */
export class SearchKnowledge {
  readonly #ports: SearchPorts;

  constructor(ports: SearchPorts) {
    this.#ports = ports;
  }

  /** @throws NotFound, RateLimited, QuotaExceeded, Unavailable, EmbeddingModelMismatch */
  async run(access: Access, request: SearchRequest): Promise<SearchAnswer> {
    await this.#ports.quotaPolicy.request(access, 'search');
    return this.runAdmitted(access, request);
  }

  /** The same, within a request that has already been admitted. */
  async runAdmitted(access: Access, requested: SearchRequest): Promise<SearchAnswer> {
    const { quotaPolicy } = this.#ports;
    const downgraded = quotaPolicy.downgrade(access.tenant, requested.strategy);
    const request = downgraded ? { ...requested, strategy: downgraded.used } : requested;
    const reservation = await quotaPolicy.reserveRetrieval(access.tenant);
    try {
      const answer = await this.#retrieve(access, request, this.#ports.views.live());
      reservation.commit(answer.traceId);
      return downgraded ? { ...answer, downgraded } : answer;
    } catch (error) {
      reservation.release();
      throw error;
    }
  }

  async #retrieve(access: Access, request: SearchRequest, view: ReadView): Promise<SearchAnswer> {
    const { catalog } = view;
    const stages = new Stages();
    refuseUnlessServing(view);
    const position = view.position();
    const space = await stages.measure('authorise', () => searchTargets(access, request, catalog), ({ searchable }) => searchable.length);
    const shown = new VisibilityFilter(catalog, space.permitted);
    const wanted = { searchable: space.searchable, filter: filterOf(request), pool: poolSize(request.topK), shown, calibrated: isCalibrated(request), ...languageOf(request) };
    const [dense, lexical] = await Promise.all([this.#dense(view.vectors, access, request, wanted, stages), this.#lexical(view.lexical, request, wanted, stages)]);
    const weights = denseWeights(space.searchable, lexical.languages, (version) => this.#ports.providers.of(version, access.tenant)?.languages);
    const fused = await stages.measure('fuse', () => fuse(request, space, dense.list, lexical.list, weights), (hits) => hits.length);
    const terms = new Map(lexical.list.hits.map((hit) => [hit.chunkId, hit.terms]));
    const hits = await stages.measure('snippets', () => this.#open(access, fused, shown, terms, request), (cut) => cut.length);
    // If an index was damaged or is being rebuilt meanwhile, results may be missing.
    refuseUnlessServing(view);
    const answer: SearchAnswer = { hits, position, traceId: randomUUID(), timings: stages.timings() };
    this.#record(access, { request, space, answer, pool: fused.length, candidates: wanted.pool, denseWeights: weights, runtime: this.#runtime(), queryVectors: dense.queryVectors });
    return answer;
  }

  #record(access: Access, retrieval: Retrieval): void {
    const { records, keys, quotaPolicy } = this.#ports;
    const keyScope = keyScopeOf(retrieval.space.permitted);
    const withQuery = quotaPolicy.of(access.tenant).limits.recordQueries === true;
    records.add(access.tenant, access.actor, async () => {
      const cipher = await keys.cipher({ tenant: access.tenant, scope: keyScope });
      return retrievalRecordOf(retrieval, { cipher, keyScope, withQuery });
    });
  }

  #runtime(): RetrievalRuntime {
    const { providers, version } = this.#ports;
    const { analyser } = providers.recipeOf(providers.current.version);
    return { palimpsest: version, node: process.version, platform: `${process.platform}-${process.arch}`, analyser };
  }

  async #dense(vectors: VectorSearch, access: Access, { query, strategy }: SearchRequest, wanted: Wanted, stages: Stages): Promise<DenseCandidates> {
    const { providers } = this.#ports;
    if (strategy === 'SparseOnly' || wanted.searchable.length === 0) return { list: EMPTY_LIST, queryVectors: new Map() };
    const byVersion = await stages.measure('embed', () => queryVectors(query, wanted.searchable, providers, access.tenant), ({ size }) => size);
    return { list: await stages.measure('dense', () => denseCandidates(vectors, byVersion, wanted), ({ hits }) => hits.length), queryVectors: byVersion };
  }

  async #lexical(lexical: LexicalSearch, { query, strategy }: SearchRequest, wanted: Wanted, stages: Stages): Promise<LexicalCandidates> {
    if (strategy === 'DenseOnly' || wanted.searchable.length === 0) return { list: EMPTY_LIST, languages: [] };
    return stages.measure('lexical', () => lexicalCandidates(lexical, query, wanted), ({ list }) => list.hits.length);
  }

  async #open(
    access: Access,
    fused: readonly FusedHit[],
    shown: VisibilityFilter,
    terms: ReadonlyMap<ChunkId, readonly string[]>,
    request: SearchRequest,
  ): Promise<readonly SearchHit[]> {
    const hits: SearchHit[] = [];
    // Runs once, unless chunks were removed since the candidates were found: then the next candidates move up.
    for (let from = 0; from < fused.length && hits.length < request.topK; ) {
      const next = fused.slice(from, from + request.topK - hits.length);
      from += next.length;
      for (const [hit, chunk] of await shown.of(next)) {
        assertVisible(access, chunk);
        const cipher = await this.#ports.keys.cipher({ tenant: access.tenant, scope: chunk.scope });
        hits.push(hitOf(hits.length + 1, hit, chunk, openText(cipher, chunk.chunkId, chunk.sealedText), terms.get(hit.chunkId) ?? [], request));
      }
    }
    return hits;
  }
}

const refuseUnlessServing = (view: ReadView): void => {
  if (!view.serving()) throw new Unavailable('the read models are catching up with the log', { forCallers: true });
};

type DenseCandidates = Readonly<{ list: RankedList<Located<VectorHit>>; queryVectors: ReadonlyMap<EmbeddingVersion, Float32Array> }>;

const fuse = (request: SearchRequest, { searchable }: SearchTargets, dense: DenseCandidates['list'], lexical: LexicalCandidates['list'], weights: readonly number[]): readonly FusedHit[] => {
  const denseWeight = denseWeightOf(weights, [...dense.hits, ...lexical.hits]);
  const comparable = { dense: new Set(searchable.map(({ embeddingVersion }) => embeddingVersion)).size <= 1, lexical: searchable.length <= 1 };
  return fuseCandidates({ dense, lexical }, request, { denseWeight, comparable });
};

/** The scores of one scope are comparable with each other; only adding them to those of another search needs calibration. */
const isCalibrated = ({ strategy, fusion }: SearchRequest): boolean => strategy === 'DenseSparseHybrid' && fusion === 'zscore';

/** Region and script of the tag do not affect stemming. */
const languageOf = ({ language: tag }: SearchRequest): Readonly<{ language?: string }> => {
  const language = primaryLanguage(tag ?? 'und');
  return language === 'und' ? {} : { language };
};

/** Knowledge bases and origins are ordinary conditions that the indexes apply before they select the best k. */
const filterOf = ({ filter, knowledgeBases, origins }: SearchRequest): Filter | undefined => {
  const conditions: Filter[] = [
    ...(filter === undefined ? [] : [filter]),
    ...(knowledgeBases === undefined ? [] : [{ in: { field: 'knowledgeBase', values: knowledgeBases } }]),
    ...(origins === undefined ? [] : [{ in: { field: 'origin', values: origins } }]),
  ];
  const [first] = conditions;
  return first === undefined || conditions.length === 1 ? first : { and: conditions };
};
