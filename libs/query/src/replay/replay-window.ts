import { overlap, rankBiasedOverlap } from '@palimpsest/evaluation';
import { PastRetrievals, type Journal, type RecordedRequests, type TimeSpan } from '@palimpsest/contracts';
import type { ComparedRetrieval, ReplayedWindow as Page } from '@palimpsest/contracts/http';
import { replayWindow } from '@palimpsest/contracts/routes/replay';
import {
  Corrupt,
  EmbeddingModelMismatch,
  HistoryRemoved,
  InvalidValue,
  NotCaughtUp,
  NotFound,
  Overloaded,
} from '@palimpsest/knowledge/errors';
import { NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import { ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import { authorise, type Access } from '@palimpsest/knowledge/access';
import type { RetrievalRecordData } from '@palimpsest/knowledge/events';
import type { ReadView, Views } from '@palimpsest/knowledge/read-models';
import type { GenerationId, KnowledgeBaseId, Position, TenantId, VectorScope } from '@palimpsest/knowledge/values';
import { visibilityOf } from '../events/event-visibility.ts';
import { ChangesBetween } from './changes-between.ts';
import type { HitChange } from './compare-sides.ts';
import type { Against, ReplayRetrievalHandler } from './replay-retrieval.ts';
import type { Side } from './run-side.ts';

/** Events of the stream of retrievals that a page reads at most. */
const MAX_SCANNED = 2_000;
/** A page waits this often for read models that are being built, since one that begins again needs those of its start again. */
const MAX_WAITS = 12;
/** Pages at a time, of all tenants. Each runs up to 300 searches, and counts as one request for the rate limit. */
const MAX_PAGES = 2;

/** Past searches, the newest first, by when they were recorded. `scope`, `knowledgeBase`: only those that searched it. */
export type WindowRequest = TimeSpan &
  Readonly<{
    scope?: VectorScope;
    knowledgeBase?: KnowledgeBaseId;
    limit: number;
    cursor?: string;
    against: Against;
  }>;

type Skipped = Page['skipped'][number];
export type ReplayedWindow = Omit<Page, 'summary'>;
export type ReplayWindowPorts = Readonly<{ journal: Journal; views: Views<ReadView>; replay: ReplayRetrievalHandler }>;

/** Replays many past searches and compares each with now, another moment or other settings. It shows no contents. */
export class ReplayWindow extends query<WindowRequest, ReplayedWindow>(replayWindow, NO_ROWS) {}

export class ReplayWindowHandler implements UseCase {
  readonly handlers = [on(ReplayWindow, ({ access, input }) => this.run(access, input))];
  readonly #ports: ReplayWindowPorts;
  readonly #running = new Set<TenantId>();

  constructor(ports: ReplayWindowPorts) {
    this.#ports = ports;
  }

  /** One page of a tenant at a time. @throws InvalidValue, NotFound, NotCaughtUp, Overloaded */
  async run(access: Access, request: WindowRequest): Promise<ReplayedWindow> {
    const { tenant } = access;
    if (this.#running.has(tenant) || this.#running.size >= MAX_PAGES)
      throw new Overloaded('many searches are being replayed already; only one page of a tenant is replayed at a time', 5);
    this.#running.add(tenant);
    try {
      return await this.#page(access, request);
    } finally {
      this.#running.delete(tenant);
    }
  }

  async #page(access: Access, request: WindowRequest): Promise<ReplayedWindow> {
    const { found, next } = await this.#recorded(access, request);
    // In ascending order of their positions, the read models of a moment are built further for the next one.
    const inOrder = found.toSorted((a, b) => (BigInt(a.position) < BigInt(b.position) ? -1 : 1));
    const { journal, replay } = this.#ports;
    const page = {
      ...{ access, against: request.against, patience: { left: MAX_WAITS }, requests: replay.requestsOf(access) },
      changes: new ChangesOfPage(journal, access.tenant, [...new Set(found.flatMap(({ permittedScopes }) => permittedScopes))]),
    };
    const retrievals: ComparedRetrieval[] = [];
    const skipped: Skipped[] = [];
    for (const record of inOrder) {
      const outcome = record.keyScope === undefined ? 'old' : await this.#compared(record, page);
      if (typeof outcome === 'string') skipped.push({ traceId: record.traceId, reason: outcome });
      else retrievals.push(outcome);
    }
    return { retrievals: retrievals.sort((a, b) => a.rbo - b.rbo), skipped, ...(next === undefined ? {} : { next: `r${next}` }) };
  }

  async #compared(record: RetrievalRecordData, { access, against, patience, requests, changes }: Together) {
    const { replay } = this.#ports;
    let ranAgain = false;
    try {
      const known = await patiently(patience, () => replay.again(access, record, requests));
      ranAgain = true;
      const other = await patiently(patience, () => replay.otherwise(access, known, againstOf(record, against)));
      const { changes: moved, truncated } = await replay.explained(known, other, (range) => changes.within(range));
      const [before, after] = [idsOf(known.then), idsOf(other.side)];
      return {
        ...{ traceId: record.traceId, retrievedAt: record.retrievedAt, position: record.position, identical: known.identical },
        ...{ gained: countOf(moved, 'gained'), lost: countOf(moved, 'lost'), moved: countOf(moved, 'moved') },
        overlap: overlap(before, after, Math.max(before.length, after.length)),
        rbo: rankBiasedOverlap(before, after),
        causes: causesOf(moved),
        ...(truncated ? { truncated } : {}),
      } satisfies ComparedRetrieval;
    } catch (error) {
      const reason = whySkipped(error, ranAgain);
      if (reason === undefined) throw error;
      return reason;
    }
  }

  /** @throws InvalidValue; NotFound for a knowledge base that the caller may not read */
  async #recorded(
    access: Access,
    { scope, knowledgeBase, limit, cursor, against: { generations = {} }, ...span }: WindowRequest,
  ): Promise<Readonly<{ found: readonly RetrievalRecordData[]; next: number | undefined }>> {
    // A search of other scopes does not ask the generation that is compared.
    const candidates = Object.keys(generations) as VectorScope[];
    const scopes = scope !== undefined ? [scope] : candidates.length > 0 ? candidates : undefined;
    const window = {
      ...span,
      ...(scopes === undefined ? {} : { scopes }),
      ...(knowledgeBase === undefined ? {} : { knowledgeBase: await this.#knowledgeBase(access, knowledgeBase) }),
    };
    const past = new PastRetrievals(this.#ports.journal, access.tenant, window, {
      maxRead: MAX_SCANNED,
      ...(cursor === undefined ? {} : { from: revisionOf(cursor) }),
      isVisible: (event) => visibilityOf(access, event) === 'open',
    });
    const found: RetrievalRecordData[] = [];
    for await (const record of past) if (found.push(record) === limit) break;
    return { found, next: past.next };
  }

  async #knowledgeBase(access: Access, id: KnowledgeBaseId) {
    const { catalog } = this.#ports.views.live();
    const scopes = (await catalog.scopes(access.tenant)).map(({ scope: { scope } }) => scope);
    const found = await catalog.knowledgeBase(authorise(access, scopes), id);
    if (!found) throw new NotFound('knowledge base', id);
    return { id, scope: found.scope };
  }
}

/** What the searches of a page have in common. */
type Together = Readonly<{ access: Access; against: Against; patience: Patience; requests: RecordedRequests; changes: ChangesOfPage }>;

/** Reads what happened once for all searches of a page, which come in ascending order of their positions. */
class ChangesOfPage {
  readonly #all = new ChangesBetween();
  readonly #journal: Journal;
  readonly #tenant: TenantId;
  readonly #scopes: readonly VectorScope[];
  #upTo: Position | undefined;

  constructor(journal: Journal, tenant: TenantId, scopes: readonly VectorScope[]) {
    this.#journal = journal;
    this.#tenant = tenant;
    this.#scopes = scopes;
  }

  async within(range: Readonly<{ scopes: readonly VectorScope[]; from: Position; upTo: Position }>): Promise<ChangesBetween> {
    const from = this.#upTo ?? range.from;
    await this.#all.extend(this.#journal, { tenant: this.#tenant, scopes: this.#scopes, from, upTo: range.upTo });
    this.#upTo = from < range.upTo ? range.upTo : from;
    return this.#all.within(range);
  }
}

/** Generations of scopes that this search did not ask are none of its settings. */
const againstOf = ({ generations: searched }: RetrievalRecordData, { generations, ...against }: Against): Against => {
  const asked = searched.flatMap(({ scope }): [VectorScope, GenerationId][] => {
    const generation = generations?.[scope];
    return generation === undefined ? [] : [[scope, generation]];
  });
  return { ...against, ...(asked.length === 0 ? {} : { generations: Object.fromEntries(asked) }) };
};

/** `ranAgain`: the search was repeated, and only the comparison failed. */
const whySkipped = (error: unknown, ranAgain: boolean): Skipped['reason'] | undefined => {
  if (error instanceof ScopeKeyDestroyed) return 'erased';
  if (error instanceof EmbeddingModelMismatch) return 'model';
  if (error instanceof Corrupt) return 'unreadable';
  // Of its own moment; that of the comparison is the same for all of them.
  if (error instanceof HistoryRemoved && !ranAgain) return 'removed';
  if (error instanceof InvalidValue && error.field === 'query') return ranAgain ? 'refused' : 'query';
  return undefined;
};

const idsOf = ({ hits }: Side): readonly string[] => hits.map(({ chunkId }) => chunkId);

const countOf = (changes: readonly HitChange[], kind: HitChange['change']): number =>
  changes.filter(({ change }) => change === kind).length;

/** How many changes have a cause of each kind, the most frequent first. */
const causesOf = (changes: readonly HitChange[]): ComparedRetrieval['causes'] => {
  const counts = new Map<ComparedRetrieval['causes'][number]['kind'], number>();
  for (const { causes } of changes)
    for (const kind of new Set(causes.map((cause) => cause.kind))) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, changed]) => ({ kind, changes: changed })).sort((a, b) => b.changes - a.changes);
};

/** `left`: how often the page may still wait. */
type Patience = { left: number };

const patiently = async <Result>(patience: Patience, work: () => Promise<Result>): Promise<Result> => {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NotCaughtUp) || --patience.left <= 0) throw error;
    }
  }
};

/** @throws InvalidValue */
const revisionOf = (cursor: string): number => {
  const [, digits] = /^r(0|[1-9][0-9]{0,14})$/.exec(cursor) ?? [];
  if (digits === undefined) throw new InvalidValue('cursor', 'the "next" value of an earlier response', cursor);
  return Number(digits);
};
