import { createHash, randomUUID } from 'node:crypto';
import { NotCaughtUp, Unavailable } from '@palimpsest/knowledge';
import type {
  Access, Admission, Catalog, EmbeddingProviders, Filter, LexicalHit, LexicalIndex, ReadModels, ScopeKeys, VectorHit, VectorIndex,
} from '@palimpsest/knowledge';
import type { TraceQueue } from '../traces/trace-queue.ts';
import { ShownChunks, visibleCandidates } from './candidates.ts';
import { byScoreThenId } from '../ranking/fusion.ts';
import { fuseCandidates } from './fuse-candidates.ts';
import { OpenHits } from './open-hits.ts';
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
  /** Searches under way. */
  #running = 0;

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
    this.#running++;
    try {
      const answer = await this.#retrieve(access, request);
      hold.done(answer.traceId);
      return downgraded ? { ...answer, downgraded } : answer;
    } catch (error) {
      hold.givenBack();
      throw error;
    } finally {
      this.#running--;
    }
  }

  async #retrieve(access: Access, request: SearchRequest): Promise<SearchAnswer> {
    const { catalog, keys, readModels, traces } = this.#ports;
    const stages = new Stages();
    await this.#ready(request);
    const position = readModels.position();
    const space = await stages.measure('authorise', () => searchSpace(access, request, catalog), ({ searchable }) => searchable.length);
    const filter = filterOf(request);
    const shown = new ShownChunks(catalog, space.permitted);
    const open = new OpenHits(access, request, keys, shown);
    const embedding = new AbortController();
    const [dense, lexical] = await Promise.all([
      this.#dense(request, space, filter, shown, stages).finally(() => embedding.abort()),
      this.#lexical(request, space, filter, shown, stages).then(async (hits) => {
        // Time that nobody else wants.
        if (request.strategy === 'DenseSparseHybrid' && this.#running === 1) await open.ahead(hits, () => embedding.signal.aborted);
        return hits;
      }),
    ]);
    const fused = await stages.measure('fuse', () => fuseCandidates({ dense, lexical }, request), (hits) => hits.length);
    const hits = await stages.measure('snippets', () => open.best(fused, lexical), (cut) => cut.length);
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
    if (!this.#ports.readModels.serving()) throw new Unavailable('the read models are catching up with the log');
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
