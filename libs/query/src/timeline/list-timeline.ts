import { sealedForRecord, spanOf, UnreadableEvent, type Journal } from '@palimpsest/contracts';
import { timestamp, type Clock } from '@palimpsest/foundation';
import type { InputOf, TimelineEntry } from '@palimpsest/contracts/http';
import { listTimeline } from '@palimpsest/contracts/routes/timeline';
import { assertVisible, permittedScope, type Access } from '@palimpsest/knowledge/access';
import { knowledgeBaseStream } from '@palimpsest/knowledge/deciders';
import { Corrupt, HistoryRemoved, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { on, query, type UseCase } from '@palimpsest/knowledge/messages';
import { ScopeKeyDestroyed, type RecordedEvent, type ScopeCipher, type ScopeKeys } from '@palimpsest/knowledge/ports';
import {
  earlierOf,
  position,
  tenantId,
  type KnowledgeBaseId,
  type Position,
  type TenantScope,
  type VectorScope,
} from '@palimpsest/knowledge/values';
import { BrowseEvents, MAX_SCANNED } from '../events/browse-events.ts';
import { categoryOf, scopeOf, visibilityOf } from '../events/event-visibility.ts';
import { KnowledgeBaseOf } from '../events/knowledge-base-of.ts';
import { DocumentPast } from './document-past.ts';
import { ScopeHistory } from './scope-history.ts';
import { momentOf, TIMELINE_EVENTS, toTimelineEntry, type Past } from './to-timeline-entry.ts';

export type AskedTimeline = InputOf<typeof listTimeline>['query'] & Readonly<{ scope: VectorScope }>;

type Moment = Readonly<{ position: string; at: string }>;
/** `place`: where the event says that it belongs. */
type Row = Readonly<{ place: TenantScope; entry: TimelineEntry }>;
export type Timeline = Readonly<{ rows: readonly Row[]; next?: string; from?: Moment; to: Moment }>;

/** Lists what happened in a scope. */
export class ListTimeline extends query<AskedTimeline, Timeline>(listTimeline, {
  scopes: ({ scope }) => [scope],
  shows: ({ rows }) => rows.map(({ place }) => place),
}) {}

/** A page ends once this many events of documents were read to compare versions; the last comparison is completed. */
export const MAX_READ_BACK = 5_000;

type Limits = Readonly<{ scanned: number; readBack: number }>;

/** The history of a scope, read from the log for each request. Nothing is stored. */
export class Timelines implements UseCase {
  readonly handlers = [on(ListTimeline, ({ access, input }) => this.page(access, input))];
  readonly #journal: Journal;
  readonly #keys: ScopeKeys;
  readonly #browse: BrowseEvents;
  readonly #knowledgeBases: KnowledgeBaseOf;
  readonly #clock: Clock;
  readonly #limits: Limits;

  constructor(journal: Journal, keys: ScopeKeys, clock: Clock, limits: Limits = { scanned: MAX_SCANNED, readBack: MAX_READ_BACK }) {
    this.#journal = journal;
    this.#keys = keys;
    this.#browse = new BrowseEvents(journal.log, keys);
    this.#knowledgeBases = new KnowledgeBaseOf(journal.log);
    this.#clock = clock;
    this.#limits = limits;
  }

  /** @throws InvalidValue; NotFound for a scope or knowledge base that the caller may not read or that does not exist */
  async page(access: Access, asked: AskedTimeline): Promise<Timeline> {
    const { scope: name, knowledgeBase, limit, cursor } = asked;
    const scope = permittedScope(access, name);
    await this.#browse.refuseUnknown(access, { streams: [], scope: name, ...(knowledgeBase === undefined ? {} : { knowledgeBase }) });
    if (knowledgeBase !== undefined) await this.#refuseOfAnotherScope(scope, knowledgeBase);
    const head = await this.#journal.log.head();
    const history = await ScopeHistory.read(this.#journal, scope);
    const past = { documents: new DocumentPast(this.#journal.log, history), scope: history };
    const { after, before } = await spanOf(this.#journal.log, asked);
    const start = startOf(before, cursor);
    const rows: Row[] = [];
    let [scanned, last]: [number, RecordedEvent | undefined] = [0, undefined];
    let isComplete = true;
    for await (const event of this.#backwards(start, cursor === undefined ? 'before' : 'cursor')) {
      if (after !== undefined && event.position <= after) break;
      [scanned, last] = [scanned + 1, event];
      const row = this.#isOf(access, event, asked) ? await this.#row(access, event, knowledgeBase, past) : undefined;
      if (row) rows.push(row);
      isComplete = !(rows.length === limit || scanned === this.#limits.scanned || past.documents.read >= this.#limits.readBack);
      if (!isComplete) break;
    }
    return {
      rows,
      ...(isComplete || !last ? {} : { next: `p${last.position}` }),
      ...(history.opened === undefined ? {} : { from: { ...history.opened, position: String(history.opened.position) } }),
      to: { position: String(head), at: timestamp(this.#clock) },
    };
  }

  #isOf(access: Access, event: RecordedEvent, { scope }: AskedTimeline): boolean {
    return scopeOf(event) === scope && visibilityOf(access, event) === 'open';
  }

  async #row(access: Access, event: RecordedEvent, knowledgeBase: KnowledgeBaseId | undefined, past: Past): Promise<Row | undefined> {
    // The model serves every knowledge base of the scope.
    const isFiltered = knowledgeBase !== undefined && categoryOf(event) !== 'scope';
    if (isFiltered && !(await this.#knowledgeBases.is(event, access.tenant, knowledgeBase))) return undefined;
    const scope = scopeOf(event);
    if (scope === undefined) return undefined;
    const place = assertVisible(access, { tenant: tenantId(event.metadata['tenant']), scope });
    const entry = await this.#entry(event, place, past);
    return entry && { place, entry };
  }

  /** Damage and erased scopes are entries, not errors, as in the list of events. */
  async #entry(event: RecordedEvent, place: TenantScope, past: Past): Promise<TimelineEntry | undefined> {
    try {
      const cipher: ScopeCipher = await this.#keys.cipher(sealedForRecord(event) ?? place);
      return await toTimelineEntry(event, cipher, past);
    } catch (error) {
      if (error instanceof ScopeKeyDestroyed) return { kind: 'unreadable', ...momentOf(event), reason: 'erased' };
      if (error instanceof HistoryRemoved) return { kind: 'unreadable', ...momentOf(event), reason: 'history-removed' };
      if (error instanceof UnreadableEvent || error instanceof Corrupt || error instanceof InvalidValue)
        return { kind: 'unreadable', ...momentOf(event), reason: 'unreadable' };
      throw error;
    }
  }

  /** A knowledge base belongs to one scope permanently, so its first event decides. */
  async #refuseOfAnotherScope({ tenant, scope }: TenantScope, id: KnowledgeBaseId): Promise<void> {
    for await (const first of this.#journal.log.readStream(knowledgeBaseStream(tenant, id), { limit: 1 }))
      if (scopeOf(first) === scope) return;
    throw new NotFound('knowledge base', id);
  }

  /** A log may reject a position that it never assigned. The error names the field that it came from. */
  async *#backwards(from: Position | undefined, field: string): AsyncGenerator<RecordedEvent> {
    const options = { direction: 'backwards' as const, limit: this.#limits.scanned, types: TIMELINE_EVENTS };
    try {
      yield* this.#journal.log.readAll({ ...options, ...(from === undefined ? {} : { from }) });
    } catch (error) {
      if (error instanceof InvalidValue && error.field === 'position')
        throw new InvalidValue(field, 'a position of an earlier response', 'another position');
      throw error;
    }
  }
}

/** A cursor continues where the page before it ended. */
const startOf = (before: Position | undefined, cursor: string | undefined): Position | undefined => {
  const from = cursor === undefined ? before : readCursor(cursor);
  return from === undefined || before === undefined ? from : earlierOf(from, before);
};

/** Continues after the last event that was examined. @throws InvalidValue */
const readCursor = (raw: string): Position => {
  const [, digits] = /^p(0|[1-9][0-9]{0,18})$/.exec(raw) ?? [];
  if (digits === undefined) throw new InvalidValue('cursor', 'the "next" value of an earlier response', raw);
  return position(digits, 'cursor');
};
