import { RecordedRequests, type Journal } from '@palimpsest/contracts';
import { replayRetrieval } from '@palimpsest/contracts/routes/replay';
import { type Access, type Filter } from '@palimpsest/knowledge/access';
import { type AsOf, lookBack, type ViewsInTime } from '@palimpsest/knowledge/past';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { on, query, type UseCase } from '@palimpsest/knowledge/messages';
import {
  earlierOf,
  laterOf,
  type ChunkId,
  type DocumentId,
  type GenerationId,
  type Position,
  type Strategy,
  type VectorScope,
} from '@palimpsest/knowledge/values';
import type { RetrievalRecordData } from '@palimpsest/knowledge/events';
import type { ReadView } from '@palimpsest/knowledge/read-models';
import { searchStages, type StagePorts } from '../pipeline/search-stages.ts';
import type { Fusion, SearchRequest } from '../search/search-request.ts';
import type { Terms } from '../search/terms.ts';
import { refuseWithoutReranker } from '../search/describe-reranking.ts';
import { ChangesBetween } from './changes-between.ts';
import { compareSides, type SideComparison } from './compare-sides.ts';
import { orErasedAt } from './erased-at.ts';
import { findCauses } from './find-causes.ts';
import { findRetrieval } from './find-retrieval.ts';
import { asItsCaller, recordedSearch, type GivenTexts, type RecordedSearch } from './recorded-search.ts';
import { runSide, type Side } from './run-side.ts';
import { whyDifferent, type Difference } from './why-different.ts';

/** What the recorded search is compared with: default, the same request now. `generations`: those to ask, by scope. */
export type Against = Readonly<{
  asOf?: AsOf;
  strategy?: Strategy;
  fusion?: Fusion;
  topK?: number;
  minScore?: number;
  filter?: Filter;
  generations?: Readonly<Record<VectorScope, GenerationId>>;
}>;

/** `query` and `terms`: those of the search, if the tenant did not let them be recorded. */
export type ReplayRequest = Readonly<{ traceId: string; query?: string; terms?: Terms; against?: Against }>;

export type Replay = Readonly<{
  record: RetrievalRecordData;
  then: Side;
  /** The same hits in the same order; their scores may differ. */
  sameHits: boolean;
  /** Empty: the replay has the same hits and scores as the record, to the last bit. */
  differences: readonly Difference[];
  identical: boolean;
  compared?: SideComparison & Readonly<{ side: Side; truncated: boolean }>;
}>;

/** `sharesVectors`: live vectors are in another store than those of past views. */
export type ReplayPorts = StagePorts &
  ViewsInTime<ReadView> &
  Readonly<{ journal: Journal; analyser: () => string; sharesVectors?: boolean }>;

/** Runs a recorded search again as it was, and compares it with another one. Nothing is recorded and nothing changes. */
export class ReplayRetrieval extends query<ReplayRequest, Replay>(replayRetrieval, {
  shows: ({ then, compared }) => [...then.hits, ...(compared?.side.hits ?? [])],
}) {}

export class ReplayRetrievalHandler implements UseCase {
  readonly handlers = [on(ReplayRetrieval, ({ access, input }) => this.run(access, input))];
  readonly #ports: ReplayPorts;

  constructor(ports: ReplayPorts) {
    this.#ports = ports;
  }

  /** @throws NotFound, InvalidValue, Conflict, ScopeKeyDestroyed, NotCaughtUp, Overloaded, EmbeddingModelMismatch */
  async run(access: Access, { traceId, against, ...given }: ReplayRequest): Promise<Replay> {
    const { journal } = this.#ports;
    const record = await findRetrieval(journal, access, traceId);
    const requests = this.requestsOf(access);
    const known = await orErasedAt(journal, access.tenant, record.permittedScopes, () => this.again(access, record, requests, given));
    const differences = known.identical ? [] : await this.#whyDifferent(access, known);
    const { then, identical, sameHits } = known;
    const replay = { record, then, identical, sameHits, differences };
    if (against === undefined) return replay;
    const other = await this.otherwise(access, known, against);
    const compared = await this.explained(known, other, (range) => ChangesBetween.read(journal, { tenant: access.tenant, ...range }));
    return { ...replay, compared: { ...compared, side: other.side } };
  }

  /** The sealed parts of the records of a tenant. */
  requestsOf({ tenant }: Access): RecordedRequests {
    return new RecordedRequests(this.#ports.keys, tenant);
  }

  /** Runs a recorded search again as it was. `given`: what is not on the record. */
  async again(access: Access, record: RetrievalRecordData, requests: RecordedRequests, given?: GivenTexts): Promise<Replayed> {
    const recorded = await recordedSearch(record, requests, given);
    const then = await this.#asItWas(access, record, recorded);
    const sameHits = hasHitsOf(record, then);
    return { record, recorded, then, sameHits, identical: sameHits && hasScoresOf(record, then) };
  }

  /** Runs it elsewhere or with other settings. */
  async otherwise(access: Access, { recorded: asRecorded, record, then }: Replayed, against: Against): Promise<Otherwise> {
    // All searches that are compared have the same texts of a chat model, also if it had to be asked again.
    const recorded: RecordedSearch = { ...asRecorded, ...rewritingOf(then) };
    const { asOf, generations = {}, ...changed } = against;
    const asked: SearchRequest = { ...recorded.request, ...changed };
    if (changed.strategy !== undefined) refuseWithoutReranker({ strategy: changed.strategy }, this.#ports.reranker, 'against.strategy');
    const chosen = new Map(Object.entries(generations) as [VectorScope, GenerationId][]);
    // With another request, another run separates the changes of that alone from those of the events since.
    const base = Object.keys(changed).length === 0 ? then : await this.#asItWas(access, record, { ...recorded, request: asked });
    const { result: side } = await lookBack(this.#ports, { access, ...(asOf ? { asOf } : {}) }, (view) =>
      runSide(searchStages(this.#ports, { vectors: recorded.vectors, backgrounds: recorded.backgrounds, ...rewritingOf(recorded) }), {
        ...{ access: asItsCaller(access, recorded), view, request: asked },
        generations: chosen,
      }),
    ).catch((error: unknown) => {
      throw error instanceof InvalidValue && error.field === 'asOf' ? error.within('against') : error;
    });
    for (const [scope, generation] of chosen)
      if (side.generations.get(scope) !== generation)
        throw new InvalidValue(`against.generations.${scope}`, 'a generation of the scope that is built and not retired', generation);
    return { base, side, chosen: new Set(chosen.keys()) };
  }

  /** On the view of its position, with the vectors, the weights and the generations of the record. */
  #asItWas(access: Access, record: RetrievalRecordData, recorded: RecordedSearch): Promise<Side> {
    const { request, position, vectors, backgrounds } = recorded;
    const known = { vectors, backgrounds, denseWeights: weightsOf(record), ...rerankingOf(record), ...rewritingOf(recorded) };
    const moment = { tenant: access.tenant, asOf: { position }, scopes: record.permittedScopes };
    return this.#ports.pastViews.at(moment, (view) =>
      runSide(searchStages(this.#ports, known), {
        ...{ access: asItsCaller(access, recorded), view, request },
        generations: generationsOf(record),
      }),
    );
  }

  #whyDifferent(access: Access, replayed: Replayed): Promise<readonly Difference[]> {
    const { journal, analyser, sharesVectors = false } = this.#ports;
    return whyDifferent(replayed, { journal, access, analyser: analyser(), sharesVectors });
  }

  /** Each hit that was gained or lost or that moved, with its causes. `changesIn`: reads what happened; not called if nothing moved. */
  async explained(
    { record, then }: Replayed,
    { base, side, chosen }: Otherwise,
    changesIn: (range: Readonly<{ scopes: readonly VectorScope[]; from: Position; upTo: Position }>) => Promise<ChangesBetween>,
  ): Promise<SideComparison & Readonly<{ truncated: boolean }>> {
    const unexplained = compareSides(then, side, () => []);
    if (unexplained.changes.length === 0) return { ...unexplained, truncated: false };
    const [from, upTo] = [earlierOf(base.position, side.position), laterOf(base.position, side.position)];
    const changes = await changesIn({ scopes: record.permittedScopes, from, upTo });
    const about = { before: base, after: side, changes, documentOf: documentsOf([then, base, side], changes), chosen };
    const causesOf = findCauses(about);
    const comparison = compareSides(then, side, (hit) => [
      ...(isAt(then, hit) === isAt(base, hit) ? [] : [ASKED_OTHERWISE]),
      ...(isAt(base, hit) === isAt(side, hit) ? [] : causesOf(hit)),
    ]);
    return { ...comparison, truncated: changes.truncated };
  }
}

/** A recorded search that ran again. `identical`: with the recorded hits and scores, to the last bit. */
export type Replayed = Readonly<{
  record: RetrievalRecordData;
  recorded: RecordedSearch;
  then: Side;
  sameHits: boolean;
  identical: boolean;
}>;
/** `base`: the search at its own moment with the settings of the other one. `chosen`: scopes whose generation the request names. */
export type Otherwise = Readonly<{ base: Side; side: Side; chosen: ReadonlySet<VectorScope> }>;

const ASKED_OTHERWISE = { kind: 'request', detail: 'the comparison asks with other settings', events: [] } as const;

const isAt = ({ hits }: Side, { chunkId }: Readonly<{ chunkId: ChunkId }>): number | undefined =>
  hits.find((hit) => hit.chunkId === chunkId)?.rank;

const weightsOf = ({ generations }: RetrievalRecordData): ReadonlyMap<VectorScope, number> =>
  new Map(generations.flatMap(({ scope, denseWeight }) => (denseWeight === undefined ? [] : [[scope, denseWeight] as const])));

const rewritingOf = ({ rewriting }: Readonly<{ rewriting?: RecordedSearch['rewriting'] | undefined }>) =>
  rewriting === undefined ? {} : { rewriting };

const rerankingOf = ({ reranking }: RetrievalRecordData) => (reranking === undefined ? {} : { reranking });

const generationsOf = ({ generations }: RetrievalRecordData): ReadonlyMap<VectorScope, GenerationId> =>
  new Map(generations.map(({ scope, generation }) => [scope, generation]));

const hasHitsOf = ({ hits }: RetrievalRecordData, then: Side): boolean =>
  hits.length === then.hits.length && hits.every(({ chunkId }, i) => then.hits[i]?.chunkId === chunkId);

const hasScoresOf = ({ hits, generations }: RetrievalRecordData, then: Side): boolean =>
  hits.every(({ score }, i) => then.hits[i]?.score === score) &&
  generations.every(({ scope, generation }) => then.generations.get(scope) === generation);

/** The documents of hits, and of chunks that came or went in between. */
const documentsOf = (sides: readonly Side[], changes: ChangesBetween) => {
  const known = new Map<ChunkId, Readonly<{ documentId: DocumentId; scope: VectorScope }>>();
  for (const [documentId, all] of changes.documents)
    for (const { scope, written, removed } of all) for (const chunk of [...written, ...removed]) known.set(chunk, { documentId, scope });
  for (const { hits } of sides) for (const { chunkId, documentId, scope } of hits) known.set(chunkId, { documentId, scope });
  return (chunk: ChunkId) => known.get(chunk);
};
