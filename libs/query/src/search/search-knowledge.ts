import { createHash, randomUUID } from 'node:crypto';
import { openText } from '@palimpsest/contracts';
import { primaryLanguage, secondLook, Unavailable } from '@palimpsest/knowledge';
import type {
  Access, Admission, Catalog, ChunkId, EmbeddingProviders, Filter, LexicalIndex, ReadModels, ScopeKeys, VectorHit, VectorIndex,
} from '@palimpsest/knowledge';
import type { TraceQueue } from '../traces/trace-queue.ts';
import { ShownChunks } from './candidates.ts';
import type { FusedHit } from '../ranking/fusion.ts';
import { EMPTY_LIST, type RankedList } from '../ranking/ranked-list.ts';
import { denseWeightOf } from './dense-weight.ts';
import { denseCandidates, lexicalCandidates, type LexicalCandidates, type Located, type Wanted } from './find-candidates.ts';
import { fuseCandidates } from './fuse-candidates.ts';
import { hitOf, type SearchHit } from './search-hit.ts';
import type { SearchAnswer } from './search-answer.ts';
import type { SearchRequest } from './search-request.ts';
import { queryVectors, searchSpace, type SearchSpace } from './searchable.ts';
import { Stages } from './stages.ts';
import { retrievalRecordOf } from './retrieval-record-of.ts';

export type SearchPorts = Readonly<{
  catalog: Catalog; vectors: VectorIndex; lexical: LexicalIndex; keys: ScopeKeys; providers: EmbeddingProviders; readModels: ReadModels; traces: TraceQueue; admission: Admission;
}>;

/** Candidates that each of the two searches gives to fusion: enough that a hit which only one of them ranks high gets through. */
const poolSize = (topK: number): number => Math.max(100, topK * 4);

/** The one entry point of retrieval: authorise → embed → dense ∥ BM25 → fuse → cut → trace. */
export class SearchKnowledge {
  readonly #ports: SearchPorts;

  constructor(ports: SearchPorts) {
    this.#ports = ports;
  }

  /** @throws NotFound, RateLimited, QuotaExceeded, Unavailable, EmbeddingModelMismatch */
  async run(access: Access, request: SearchRequest): Promise<SearchAnswer> {
    await this.#ports.admission.request(access, 'search');
    return this.runAdmitted(access, request);
  }

  /** The same within a request that was let in already. */
  async runAdmitted(access: Access, asked: SearchRequest): Promise<SearchAnswer> {
    const { admission } = this.#ports;
    const downgraded = admission.downgrade(access.tenant, asked.strategy);
    const request = downgraded ? { ...asked, strategy: downgraded.used } : asked;
    const hold = await admission.roomForRetrieval(access.tenant);
    try {
      const answer = await this.#retrieve(access, request);
      hold.done(answer.traceId);
      return downgraded ? { ...answer, downgraded } : answer;
    } catch (error) {
      hold.givenBack();
      throw error;
    }
  }

  async #retrieve(access: Access, request: SearchRequest): Promise<SearchAnswer> {
    const { catalog, readModels, traces } = this.#ports;
    const stages = new Stages();
    this.#refuseUnlessServing();
    const position = readModels.position();
    const space = await stages.measure('authorise', () => searchSpace(access, request, catalog), ({ searchable }) => searchable.length);
    const shown = new ShownChunks(catalog, space.permitted);
    const wanted = { searchable: space.searchable, filter: filterOf(request), pool: poolSize(request.topK), shown, calibrated: isCalibrated(request), ...languageOf(request) };
    const [dense, lexical] = await Promise.all([this.#dense(access, request, wanted, stages), this.#lexical(request, wanted, stages)]);
    const fused = await stages.measure('fuse', () => this.#fuse(access, request, space, dense, lexical), (hits) => hits.length);
    const terms = new Map(lexical.list.hits.map((hit) => [hit.chunkId, hit.terms]));
    const hits = await stages.measure('snippets', () => this.#open(access, fused, shown, terms, request), (cut) => cut.length);
    // An index that met damage, or a rebuilding, meanwhile: what was found may be less than there is.
    this.#refuseUnlessServing();
    const answer: SearchAnswer = { hits, position, traceId: randomUUID(), timings: stages.timings() };
    const queryHash = createHash('sha256').update(request.query).digest('hex');
    traces.add(access.tenant, access.actor, retrievalRecordOf({ request, space, answer, pool: fused.length, queryHash }));
    return answer;
  }

  #refuseUnlessServing(): void {
    if (!this.#ports.readModels.serving()) throw new Unavailable('the read models are catching up with the log', { forCallers: true });
  }

  async #dense(access: Access, { query, strategy }: SearchRequest, wanted: Wanted, stages: Stages): Promise<RankedList<Located<VectorHit>>> {
    const { vectors, providers } = this.#ports;
    if (strategy === 'SparseOnly' || wanted.searchable.length === 0) return EMPTY_LIST;
    const byVersion = await stages.measure('embed', () => queryVectors(query, wanted.searchable, providers, access.tenant), ({ size }) => size);
    return stages.measure('dense', () => denseCandidates(vectors, byVersion, wanted), ({ hits }) => hits.length);
  }

  async #lexical({ query, strategy }: SearchRequest, wanted: Wanted, stages: Stages): Promise<LexicalCandidates> {
    if (strategy === 'DenseOnly' || wanted.searchable.length === 0) return { list: EMPTY_LIST, languages: [] };
    return stages.measure('lexical', () => lexicalCandidates(this.#ports.lexical, query, wanted), ({ list }) => list.hits.length);
  }

  #fuse(access: Access, request: SearchRequest, { searchable }: SearchSpace, dense: RankedList<Located<VectorHit>>, { list: lexical, languages }: LexicalCandidates): readonly FusedHit[] {
    const denseWeight = denseWeightOf(searchable, languages, (version) => this.#ports.providers.of(version, access.tenant)?.languages, [...dense.hits, ...lexical.hits]);
    const comparable = { dense: new Set(searchable.map(({ embeddingVersion }) => embeddingVersion)).size <= 1, lexical: searchable.length <= 1 };
    return fuseCandidates({ dense, lexical }, request, { denseWeight, comparable });
  }

  async #open(
    access: Access,
    fused: readonly FusedHit[],
    shown: ShownChunks,
    terms: ReadonlyMap<ChunkId, readonly string[]>,
    request: SearchRequest,
  ): Promise<readonly SearchHit[]> {
    const hits: SearchHit[] = [];
    // Once, unless something went since the candidates were found: then the next ones move up.
    for (let from = 0; from < fused.length && hits.length < request.topK; ) {
      const next = fused.slice(from, from + request.topK - hits.length);
      from += next.length;
      for (const [hit, chunk] of await shown.of(next)) {
        secondLook(access, chunk);
        const cipher = await this.#ports.keys.cipher({ tenant: access.tenant, scope: chunk.scope });
        hits.push(hitOf(hits.length + 1, hit, chunk, openText(cipher, chunk.chunkId, chunk.sealedText), terms.get(hit.chunkId) ?? [], request));
      }
    }
    return hits;
  }
}

/** One scope's own scores compare with each other; only their sum with another search's needs more. */
const isCalibrated = ({ strategy, fusion }: SearchRequest): boolean => strategy === 'DenseSparseHybrid' && fusion === 'zscore';

/** Region and script of the tag say nothing of how words are stemmed. */
const languageOf = ({ language: tag }: SearchRequest): Readonly<{ language?: string }> => {
  const language = primaryLanguage(tag ?? 'und');
  return language === 'und' ? {} : { language };
};

/** Knowledge bases and origins are conditions like any other; the indexes apply them before they count to k. */
const filterOf = ({ filter, knowledgeBases, origins }: SearchRequest): Filter | undefined => {
  const conditions: Filter[] = [
    ...(filter === undefined ? [] : [filter]),
    ...(knowledgeBases === undefined ? [] : [{ in: { field: 'knowledgeBase', values: knowledgeBases } }]),
    ...(origins === undefined ? [] : [{ in: { field: 'origin', values: origins } }]),
  ];
  const [first] = conditions;
  return first === undefined || conditions.length === 1 ? first : { and: conditions };
};
