import type { Journal } from '@palimpsest/contracts';
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
  type Strategy,
  type VectorScope,
} from '@palimpsest/knowledge/values';
import type { RetrievalRecordData } from '@palimpsest/knowledge/events';
import type { ReadView } from '@palimpsest/knowledge/read-models';
import { searchStages, type StagePorts } from '../pipeline/search-stages.ts';
import type { Fusion, SearchRequest } from '../search/search-request.ts';
import { ChangesBetween } from './changes-between.ts';
import { compareSides, type SideComparison } from './compare-sides.ts';
import { findCauses } from './find-causes.ts';
import { findRetrieval } from './find-retrieval.ts';
import { recordedSearch, type RecordedSearch } from './recorded-search.ts';
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

/** `query`: the text, if the tenant did not let it be recorded. */
export type ReplayRequest = Readonly<{ traceId: string; query?: string; against?: Against }>;

export type Replay = Readonly<{
  record: RetrievalRecordData;
  then: Side;
  /** Empty: the replay has the same hits and scores as the record, to the last bit. */
  differences: readonly Difference[];
  identical: boolean;
  compared?: SideComparison & Readonly<{ side: Side; factsRead: number; truncated: boolean }>;
}>;

export type ReplayPorts = StagePorts & ViewsInTime<ReadView> & Readonly<{ journal: Journal; analyser: () => string }>;

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
  async run(access: Access, { traceId, query: text, against }: ReplayRequest): Promise<Replay> {
    const { journal, keys } = this.#ports;
    const record = await findRetrieval(journal, access, traceId);
    const recorded = await recordedSearch(record, { keys, tenant: access.tenant, ...(text === undefined ? {} : { query: text }) });
    const then = await this.#asItWas(access, record, recorded);
    const identical = isIdentical(record, then);
    const differences = identical
      ? []
      : await whyDifferent({ record, recorded, then }, { journal, access, analyser: this.#ports.analyser() });
    const replay = { record, then, identical, differences };
    return against === undefined ? replay : { ...replay, compared: await this.#compare(access, { record, recorded, then }, against) };
  }

  /** On the view of its position, with the vectors, the weights and the generations of the record. */
  #asItWas(access: Access, record: RetrievalRecordData, { request, position, vectors }: RecordedSearch): Promise<Side> {
    return this.#ports.pastViews.at({ tenant: access.tenant, asOf: { position } }, (view) =>
      runSide(searchStages(this.#ports, { vectors, denseWeights: weightsOf(record) }), {
        ...{ access, view, request },
        generations: generationsOf(record),
      }),
    );
  }

  async #compare(access: Access, known: Known, against: Against): Promise<NonNullable<Replay['compared']>> {
    const { recorded, record, then } = known;
    const { asOf, generations = {}, ...changed } = against;
    const asked: SearchRequest = { ...recorded.request, ...changed };
    const chosen = new Map(Object.entries(generations) as [VectorScope, GenerationId][]);
    // With another request, another run separates the changes of that alone from those of the events since.
    const base = Object.keys(changed).length === 0 ? then : await this.#asItWas(access, record, { ...recorded, request: asked });
    const { result: side } = await lookBack(this.#ports, { access, ...(asOf ? { asOf } : {}) }, (view) =>
      runSide(searchStages(this.#ports, { vectors: recorded.vectors }), { access, view, request: asked, generations: chosen }),
    ).catch((error: unknown) => {
      throw error instanceof InvalidValue && error.field === 'asOf' ? error.within('against') : error;
    });
    for (const [scope, generation] of chosen)
      if (side.generations.get(scope) !== generation)
        throw new InvalidValue(`against.generations.${scope}`, 'a generation of the scope that is built and not retired', generation);
    const { tenant } = access;
    const changes = await ChangesBetween.read(this.#ports.journal, {
      ...{ tenant, scopes: record.permittedScopes },
      from: earlierOf(base.position, side.position),
      upTo: laterOf(base.position, side.position),
    });
    const about = {
      before: base,
      after: side,
      changes,
      documentOf: documentsOf([then, base, side], changes),
      chosen: new Set(chosen.keys()),
    };
    const comparison = compareSides(then, side, (hit) => [
      ...(isAt(then, hit) === isAt(base, hit) ? [] : [ASKED_OTHERWISE]),
      ...(isAt(base, hit) === isAt(side, hit) ? [] : findCauses(about, hit)),
    ]);
    return {
      ...comparison,
      side,
      factsRead: Math.min(changes.facts, changes.truncated ? changes.facts - 1 : changes.facts),
      truncated: changes.truncated,
    };
  }
}

type Known = Readonly<{ record: RetrievalRecordData; recorded: RecordedSearch; then: Side }>;

const ASKED_OTHERWISE = { kind: 'request', detail: 'the comparison asks with other settings', events: [] } as const;

const isAt = ({ hits }: Side, { chunkId }: Readonly<{ chunkId: ChunkId }>): number | undefined =>
  hits.find((hit) => hit.chunkId === chunkId)?.rank;

const weightsOf = ({ generations }: RetrievalRecordData): ReadonlyMap<VectorScope, number> =>
  new Map(generations.flatMap(({ scope, denseWeight }) => (denseWeight === undefined ? [] : [[scope, denseWeight] as const])));

const generationsOf = ({ generations }: RetrievalRecordData): ReadonlyMap<VectorScope, GenerationId> =>
  new Map(generations.map(({ scope, generation }) => [scope, generation]));

const isIdentical = ({ hits, generations }: RetrievalRecordData, then: Side): boolean =>
  hits.length === then.hits.length &&
  hits.every(({ chunkId, score }, i) => then.hits[i]?.chunkId === chunkId && then.hits[i]?.score === score) &&
  generations.every(({ scope, generation }) => then.generations.get(scope) === generation);

/** The documents of hits, and of chunks that came or went in between. */
const documentsOf = (sides: readonly Side[], changes: ChangesBetween) => {
  const known = new Map<ChunkId, Readonly<{ documentId: DocumentId; scope: VectorScope }>>();
  for (const [documentId, all] of changes.documents)
    for (const { scope, written, removed } of all) for (const chunk of [...written, ...removed]) known.set(chunk, { documentId, scope });
  for (const { hits } of sides) for (const { chunkId, documentId, scope } of hits) known.set(chunkId, { documentId, scope });
  return (chunk: ChunkId) => known.get(chunk);
};
