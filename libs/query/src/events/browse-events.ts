import { LISTED_EVENTS } from '@palimpsest/contracts/http';
import { getEvent, listEvents } from '@palimpsest/contracts/routes/events';
import { authorise, isNamedByKey } from '@palimpsest/knowledge/access';
import { documentStream, knowledgeBaseStream, scopeStream } from '@palimpsest/knowledge/deciders';
import { InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { on, query, type UseCase } from '@palimpsest/knowledge/messages';
import { streamName } from '@palimpsest/knowledge/ports';
import { START, vectorScope } from '@palimpsest/knowledge/values';
import type { Access, Location } from '@palimpsest/knowledge/access';
import type { EventLog, RecordedEvent, ScopeKeys, StreamName } from '@palimpsest/knowledge/ports';
import type { Position, VectorScope } from '@palimpsest/knowledge/values';
import {
  cursorOf,
  eventQuery,
  namesThings,
  roleFor,
  type AskedEvents,
  type Cursor,
  type EventFilter,
  type EventQuery,
} from './event-query.ts';
import { categoryOf, scopeOf, visibilityOf } from './event-visibility.ts';
import { KnowledgeBaseOf } from './knowledge-base-of.ts';
import { toEventView, type VisibleEvent } from './to-event-view.ts';

/** Number of events that one request scans, including other tenants' events, so that a large tenant does not slow down the others. */
export const MAX_SCANNED = 1_000;

export type EventPage = Readonly<{ events: readonly VisibleEvent[]; next?: string; head: string }>;

/** An event of the tenant as a whole, and one that is withheld, has no scope. */
const rowsOf = (events: readonly VisibleEvent[]): readonly Location[] =>
  events.flatMap(({ scope }) => (scope === undefined ? [] : [{ scope: vectorScope(scope) }]));

/** Lists the events that the caller may see. */
export class ListEvents extends query<AskedEvents, EventPage>(listEvents, { role: roleFor, shows: ({ events }) => rowsOf(events) }) {}
export class GetEvent extends query<Position, VisibleEvent>(getEvent, { shows: (event) => rowsOf([event]) }) {}

/** The event log as the caller may view it, page by page. */
export class BrowseEvents implements UseCase {
  readonly handlers = [
    on(ListEvents, ({ access, input }) => this.page(access, input)),
    on(GetEvent, ({ access, input }) => this.one(access, input)),
  ];
  readonly #log: EventLog;
  readonly #keys: ScopeKeys;
  readonly #knowledgeBases: KnowledgeBaseOf;
  readonly #maxScanned: number;

  constructor(log: EventLog, keys: ScopeKeys, maxScanned = MAX_SCANNED) {
    this.#log = log;
    this.#keys = keys;
    this.#knowledgeBases = new KnowledgeBaseOf(log);
    this.#maxScanned = maxScanned;
  }

  /** @throws InvalidValue; NotFound when the filter names something that the caller may not view or that does not exist */
  async page(access: Access, asked: AskedEvents): Promise<EventPage> {
    const query = eventQuery(access, asked);
    const head = String(await this.#log.head());
    await this.refuseUnknown(access, query.filter);
    const events: VisibleEvent[] = [];
    let last: RecordedEvent | undefined;
    let scanned = 0;
    for await (const event of withCursorErrors(() => this.#read(query))) {
      [last, scanned] = [event, scanned + 1];
      const visible = await this.view(access, event, query.filter);
      if (visible) events.push(visible);
      if (events.length === query.limit) break;
    }
    const isLast = events.length < query.limit && scanned < this.#maxScanned;
    const next = isLast || !last ? undefined : nextOf(query, last);
    return { events, head, ...(next === undefined ? {} : { next: cursorOf(next) }) };
  }

  /** @throws NotFound, also when the caller may not view the event */
  async one(access: Access, position: Position): Promise<VisibleEvent> {
    const found = await this.#at(position).catch(asNotFound);
    const visible = found && (await toEventView(access, found, this.#keys));
    if (!visible) throw new NotFound('event', String(position));
    return visible;
  }

  /** Returns the event if it matches the filter and the caller may view it. */
  async view(access: Access, event: RecordedEvent, filter: EventFilter): Promise<VisibleEvent | undefined> {
    const { streams, types, knowledgeBase, scope } = filter;
    if (types && !types.has(event.type)) return undefined;
    if (streams.some((stream) => stream !== event.stream)) return undefined;
    const visibility = visibilityOf(access, event);
    if (visibility === 'hidden' || (visibility === 'withheld' && namesThings(filter))) return undefined;
    if (scope !== undefined && scopeOf(event) !== scope) return undefined;
    if (knowledgeBase !== undefined && !(await this.#knowledgeBases.is(event, access.tenant, knowledgeBase))) return undefined;
    return toEventView(access, event, this.#keys);
  }

  /**
   * Does not search for what the caller may not read: the time that takes, and whether there is more, would reveal something about it.
   * @throws NotFound, the same whether something does not exist or the caller may not read it
   */
  async refuseUnknown(access: Access, { streams, document, knowledgeBase, scope }: EventFilter): Promise<void> {
    if (scope !== undefined && !(await this.#mayReadScope(access, scope))) throw new NotFound('scope', scope);
    if (document !== undefined && !(await this.#mayReadStream(access, documentStream(access.tenant, document))))
      throw new NotFound('document', document);
    for (const stream of streams) if (!(await this.#mayReadStream(access, stream))) throw new NotFound('stream', stream);
    if (knowledgeBase !== undefined && !(await this.#mayReadStream(access, knowledgeBaseStream(access.tenant, knowledgeBase))))
      throw new NotFound('knowledge base', knowledgeBase);
  }

  async #mayReadScope(access: Access, scope: VectorScope): Promise<boolean> {
    const [permitted] = authorise(access, [scope]);
    if (!permitted) return false;
    return isNamedByKey(access, scope) || this.#mayReadStream(access, scopeStream(permitted));
  }

  /** A stream belongs to one scope permanently, so its first event decides. Retrievals are checked event by event. */
  async #mayReadStream(access: Access, stream: StreamName): Promise<boolean> {
    if (tenantPartOf(stream) !== tenantPartOf(streamName('any', access.tenant))) return false;
    if (categoryOf({ stream }) === 'retrieval') return true;
    for await (const first of this.#log.readStream(stream, { limit: 1 })) return visibilityOf(access, first) === 'open';
    return false;
  }

  #read({ filter: { streams, types }, direction, cursor }: EventQuery): AsyncIterable<RecordedEvent> {
    const limit = this.#maxScanned;
    const [stream] = streams;
    if (stream !== undefined)
      return this.#log.readStream(stream, { direction, limit, ...(cursor && 'revision' in cursor ? { from: cursor.revision } : {}) });
    return this.#log.readAll({
      direction,
      limit,
      types: types ? [...types] : LISTED_EVENTS,
      ...(cursor && 'position' in cursor ? { from: cursor.position } : {}),
    });
  }

  /** Positions can only be compared: the event is the first one after its predecessor. */
  async #at(position: Position): Promise<RecordedEvent | undefined> {
    let before = START;
    for await (const event of this.#log.readAll({ from: position, direction: 'backwards', limit: 1 })) before = event.position;
    for await (const event of this.#log.readAll({ from: before, limit: 1 })) return event.position === position ? event : undefined;
    return undefined;
  }
}

/** A log may reject a position that it never assigned. The position came from the cursor, so the error names the cursor. */
async function* withCursorErrors(read: () => AsyncIterable<RecordedEvent>): AsyncGenerator<RecordedEvent> {
  try {
    yield* read();
  } catch (error) {
    if (error instanceof InvalidValue && error.field === 'position')
      throw new InvalidValue('cursor', 'the "next" value of an earlier response', 'another position');
    throw error;
  }
}

/** Some logs reject a position that they never assigned. */
const asNotFound = (error: unknown): undefined => {
  if (error instanceof InvalidValue) return undefined;
  throw error;
};

const tenantPartOf = (stream: StreamName): string | undefined => stream.split('-')[1];

const nextOf = ({ filter: { streams }, direction }: EventQuery, { position, revision }: RecordedEvent): Cursor | undefined => {
  if (streams.length === 0) return { position };
  if (direction === 'forwards') return { revision: revision + 1 };
  return revision === 0 ? undefined : { revision: revision - 1 };
};
