import { createHash, randomUUID } from 'node:crypto';
import { openText } from '@palimpsest/contracts';
import { NotCaughtUp, secondLook, Unavailable } from '@palimpsest/knowledge';
import type {
  Access, Admission, Catalog, ChunkId, EmbeddingProviders, Filter, LexicalHit, LexicalIndex, ReadModels, ScopeKeys, VectorHit, VectorIndex,
} from '@palimpsest/knowledge';
import type { TraceQueue } from '../traces/trace-queue.ts';
import { ShownChunks, visibleCandidates } from './candidates.ts';
import { byScoreThenId, type FusedHit } from '../ranking/fusion.ts';
import { fuseCandidates } from './fuse-candidates.ts';
import { hitOf, type SearchHit } from './search-hit.ts';
import type { SearchAnswer } from './search-answer.ts';
import type { SearchRequest } from './search-request.ts';
import { queryVectors, searchSpace, type SearchSpace } from './searchable.ts';
import { Stages } from './stages.ts';
import { traceEvent } from './trace-event.ts';

export type SearchPorts = Readonly<{
  catalog: Catalog; vectors: VectorIndex; lexical: LexicalIndex; keys: ScopeKeys; providers: EmbeddingProviders; readModels: ReadModels; traces: TraceQueue; admission: Admission;
}>;

const CAUGHT_UP_TIMEOUT_MS = 10_000;
/** Candidates that each of the two searches gives to fusion: enough that a hit which only one of them ranks high gets through. */
const poolSize = (topK: number): number => Math.max(100, topK * 4);

/** The one entry point of retrieval: authorise → embed → dense ∥ BM25 → fuse → cut → trace. */
export class SearchKnowledge {
  readonly #ports: SearchPorts;

  constructor(ports: SearchPorts) {
    this.#ports = ports;
  }

  /** @throws RateLimited, QuotaExceeded, NotCaughtUp, Unavailable, EmbeddingModelMismatch */
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
    await this.#ready(request);
    const position = readModels.position();
    const space = await stages.measure('authorise', () => searchSpace(access, request, catalog), ({ searchable }) => searchable.length);
    const filter = filterOf(request);
    const shown = new ShownChunks(catalog, space.permitted);
    const [dense, lexical] = await Promise.all([this.#dense(request, space, filter, shown, stages), this.#lexical(request, space, filter, shown, stages)]);
    const fused = await stages.measure('fuse', () => fuseCandidates({ dense, lexical }, request), (hits) => hits.length);
    const terms = new Map(lexical.map((hit) => [hit.chunkId, hit.terms]));
    const hits = await stages.measure('snippets', () => this.#open(access, fused, shown, terms, request), (cut) => cut.length);
    // An index that met damage, or a rebuilding, meanwhile: what was found may be less than there is.
    this.#refuseUnlessServing();
    const answer: SearchAnswer = { hits, position, traceId: randomUUID(), timings: stages.timings() };
    const queryHash = createHash('sha256').update(request.query).digest('hex');
    traces.add(access.tenant, access.actor, traceEvent({ request, space, answer, pool: fused.length, queryHash }));
    return answer;
  }

  async #ready({ atLeast }: SearchRequest): Promise<void> {
    const { readModels } = this.#ports;
    if (atLeast !== undefined && !(await readModels.reached(atLeast, CAUGHT_UP_TIMEOUT_MS)))
      throw new NotCaughtUp(`the read models are at position ${readModels.position()}, not at ${atLeast} yet`);
    this.#refuseUnlessServing();
  }

  #refuseUnlessServing(): void {
    if (!this.#ports.readModels.serving()) throw new Unavailable('the read models are catching up with the log', { forCallers: true });
  }

  async #dense({ query, strategy, topK }: SearchRequest, space: SearchSpace, filter: Filter | undefined, shown: ShownChunks, stages: Stages): Promise<readonly VectorHit[]> {
    const { vectors, providers } = this.#ports;
    if (strategy === 'SparseOnly' || space.searchable.length === 0) return [];
    const byVersion = await stages.measure('embed', () => queryVectors(query, space.searchable, providers), ({ size }) => size);
    const search = async (k: number): Promise<readonly VectorHit[]> => {
      const found = await Promise.all(
        space.searchable.map(async ({ partition, embeddingVersion }) => {
          const vector = byVersion.get(embeddingVersion);
          return vector ? vectors.search(partition, vector, { k, ...(filter === undefined ? {} : { filter }) }) : [];
        }),
      );
      return found.flat().sort(byScoreThenId).slice(0, k);
    };
    return stages.measure('dense', () => visibleCandidates(poolSize(topK), shown, search), (hits) => hits.length);
  }

  async #lexical({ query, strategy, topK }: SearchRequest, space: SearchSpace, filter: Filter | undefined, shown: ShownChunks, stages: Stages): Promise<readonly LexicalHit[]> {
    const { lexical } = this.#ports;
    if (strategy === 'DenseOnly' || space.searchable.length === 0) return [];
    const search = async (k: number): Promise<readonly LexicalHit[]> => {
      const found = await Promise.all(space.searchable.map(({ partition }) => lexical.search(partition, query, { k, ...(filter === undefined ? {} : { filter }) })));
      return found.flat().sort(byScoreThenId).slice(0, k);
    };
    return stages.measure('lexical', () => visibleCandidates(poolSize(topK), shown, search), (hits) => hits.length);
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
