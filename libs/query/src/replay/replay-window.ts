import { overlap, rankBiasedOverlap } from '@palimpsest/evaluation';
import type { Journal } from '@palimpsest/contracts';
import type { ComparedRetrieval, ReplayedWindow as Page } from '@palimpsest/contracts/http';
import { replayWindow } from '@palimpsest/contracts/routes/replay';
import { EmbeddingModelMismatch, InvalidValue, NotCaughtUp, Overloaded } from '@palimpsest/knowledge/errors';
import { NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import { ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import type { Access } from '@palimpsest/knowledge/access';
import { retrievalStream } from '@palimpsest/knowledge/deciders';
import type { RetrievalRecordData } from '@palimpsest/knowledge/events';
import type { TenantId, VectorScope } from '@palimpsest/knowledge/values';
import { visibilityOf } from '../events/event-visibility.ts';
import { spanOf, type TimeSpan } from '../timeline/time-span.ts';
import { compareSides } from './compare-sides.ts';
import type { Against, ReplayRetrievalHandler } from './replay-retrieval.ts';
import type { Side } from './run-side.ts';

/** Events of the stream of retrievals that a page reads at most. */
const MAX_SCANNED = 2_000;
/** A page waits this often for read models that are being built, since one that begins again needs those of its start again. */
const MAX_WAITS = 12;
/** Pages at a time, of all tenants. Each runs up to 300 searches, and counts as one request for the rate limit. */
const MAX_PAGES = 2;

/** Past searches, the newest first, by when they were recorded. `scope`: only those that searched it. */
export type WindowRequest = TimeSpan &
  Readonly<{
    scope?: VectorScope;
    limit: number;
    cursor?: string;
    against: Against;
  }>;

type Skipped = Page['skipped'][number];
export type ReplayedWindow = Omit<Page, 'summary'>;

/** Replays many past searches and compares each with now, another moment or other settings. It shows no contents. */
export class ReplayWindow extends query<WindowRequest, ReplayedWindow>(replayWindow, NO_ROWS) {}

export class ReplayWindowHandler implements UseCase {
  readonly handlers = [on(ReplayWindow, ({ access, input }) => this.run(access, input))];
  readonly #journal: Journal;
  readonly #replay: ReplayRetrievalHandler;
  readonly #running = new Set<TenantId>();

  constructor(journal: Journal, replay: ReplayRetrievalHandler) {
    this.#journal = journal;
    this.#replay = replay;
  }

  /** One page of a tenant at a time. @throws InvalidValue, NotCaughtUp, Overloaded */
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
    const retrievals: ComparedRetrieval[] = [];
    const skipped: Skipped[] = [];
    const patience = { left: MAX_WAITS };
    // In ascending order of their positions, the read models of a moment are built further for the next one.
    for (const record of found.toSorted((a, b) => (BigInt(a.position) < BigInt(b.position) ? -1 : 1))) {
      const reason = record.keyScope === undefined ? 'old' : undefined;
      const outcome = reason ?? (await this.#compared(access, record, request.against, patience));
      if (typeof outcome === 'string') skipped.push({ traceId: record.traceId, reason: outcome });
      else retrievals.push(outcome);
    }
    return { retrievals: retrievals.sort((a, b) => a.rbo - b.rbo), skipped, ...(next === undefined ? {} : { next }) };
  }

  async #compared(
    access: Access,
    record: RetrievalRecordData,
    against: Against,
    patience: Patience,
  ): Promise<ComparedRetrieval | Skipped['reason']> {
    try {
      const known = await patiently(patience, () => this.#replay.again(access, record));
      const { side } = await patiently(patience, () => this.#replay.otherwise(access, known, against));
      const { changes } = compareSides(known.then, side, () => []);
      const count = (kind: string): number => changes.filter(({ change }) => change === kind).length;
      const [before, after] = [idsOf(known.then), idsOf(side)];
      return {
        ...{ traceId: record.traceId, retrievedAt: record.retrievedAt, position: record.position, identical: known.identical },
        ...{ gained: count('gained'), lost: count('lost'), moved: count('moved') },
        overlap: overlap(before, after, Math.max(before.length, after.length)),
        rbo: rankBiasedOverlap(before, after),
      };
    } catch (error) {
      if (error instanceof ScopeKeyDestroyed) return 'erased';
      if (error instanceof EmbeddingModelMismatch) return 'model';
      if (error instanceof InvalidValue && error.field === 'query') return 'query';
      throw error;
    }
  }

  async #recorded(
    access: Access,
    { scope, limit, cursor, ...span }: WindowRequest,
  ): Promise<Readonly<{ found: readonly RetrievalRecordData[]; next?: string }>> {
    const { log } = this.#journal;
    const { after, before } = await spanOf(log, span);
    const found: RetrievalRecordData[] = [];
    let [scanned, last]: [number, number | undefined] = [0, undefined];
    const options = { direction: 'backwards', limit: MAX_SCANNED, ...(cursor === undefined ? {} : { from: revisionOf(cursor) }) } as const;
    for await (const event of log.readStream(retrievalStream(access.tenant), options)) {
      if (after !== undefined && event.position <= after) return { found };
      [scanned, last] = [scanned + 1, event.revision];
      if (before !== undefined && event.position >= before) continue;
      if (event.type !== 'KnowledgeRetrieved' || visibilityOf(access, event) !== 'open') continue;
      const record = (await this.#journal.decode(event)).event.data as RetrievalRecordData;
      if (scope !== undefined && !record.generations.some((searched) => searched.scope === scope)) continue;
      found.push(record);
      if (found.length === limit) break;
    }
    const isLast = found.length < limit && scanned < MAX_SCANNED;
    return isLast || last === undefined || last === 0 ? { found } : { found, next: `r${last - 1}` };
  }
}

const idsOf = ({ hits }: Side): readonly string[] => hits.map(({ chunkId }) => chunkId);

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
