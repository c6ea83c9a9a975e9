import { authorise, documentStream, InvalidValue, isNamedByKey, knowledgeBaseStream, NotFound, scopeStream, START, streamName } from '@palimpsest/knowledge';
import type { Access, EventLog, Position, RecordedEvent, ScopeKeys, StreamName, VectorScope } from '@palimpsest/knowledge';
import { cursorOf, eventQuery, namesThings, SHOWN_TYPES, type Cursor, type EventFilter, type EventQuery } from './event-query.ts';
import { categoryOf, scopeOf, sightOf } from './event-sight.ts';
import { KnowledgeBaseOf } from './knowledge-base-of.ts';
import { seeEvent, type SeenEvent } from './see-event.ts';

/** Events of the log that one request looks at, whoever they belong to: another tenant's million makes none slow. */
const LOOKS_AT = 1_000;

export type EventPage = Readonly<{ events: readonly SeenEvent[]; next?: string; head: string }>;

/** The log as a caller may see it, page by page. */
export class BrowseEvents {
  readonly #log: EventLog;
  readonly #keys: ScopeKeys;
  readonly #knowledgeBases: KnowledgeBaseOf;
  readonly #looksAt: number;

  constructor(log: EventLog, keys: ScopeKeys, looksAt = LOOKS_AT) {
    this.#log = log;
    this.#keys = keys;
    this.#knowledgeBases = new KnowledgeBaseOf(log);
    this.#looksAt = looksAt;
  }

  /** @throws InvalidValue, Forbidden; NotFound when the filter names what is not there for this caller */
  async page(access: Access, raw: unknown): Promise<EventPage> {
    const query = eventQuery(access, raw);
    const head = String(await this.#log.head());
    await this.refuseUnknown(access, query.filter);
    const events: SeenEvent[] = [];
    let last: RecordedEvent | undefined;
    let looked = 0;
    for await (const event of ofCursor(() => this.#read(query))) {
      [last, looked] = [event, looked + 1];
      const seen = await this.see(access, event, query.filter);
      if (seen) events.push(seen);
      if (events.length === query.limit) break;
    }
    const whole = events.length < query.limit && looked < this.#looksAt;
    const next = whole || !last ? undefined : nextOf(query, last);
    return { events, head, ...(next === undefined ? {} : { next: cursorOf(next) }) };
  }

  /** @throws NotFound, also for what the caller may not see */
  async one(access: Access, position: Position): Promise<SeenEvent> {
    const found = await this.#at(position).catch(neverHandedOut);
    const seen = found && (await seeEvent(access, found, this.#keys));
    if (!seen) throw new NotFound('event', String(position));
    return seen;
  }

  /** The event, if the filter keeps it and the caller may see it. */
  async see(access: Access, event: RecordedEvent, filter: EventFilter): Promise<SeenEvent | undefined> {
    const { streams, types, knowledgeBase, scope } = filter;
    if (types && !types.has(event.type)) return undefined;
    if (streams.some((stream) => stream !== event.stream)) return undefined;
    const sight = sightOf(access, event);
    if (sight === 'hidden' || (sight === 'withheld' && namesThings(filter))) return undefined;
    if (scope !== undefined && scopeOf(event) !== scope) return undefined;
    if (knowledgeBase !== undefined && !(await this.#knowledgeBases.is(event, access.tenant, knowledgeBase))) return undefined;
    return seeEvent(access, event, this.#keys);
  }

  /**
   * What a caller may not read is not looked for: how long that takes, and whether there is more, would say something about it.
   * @throws NotFound, the same for what does not exist and for what the caller may not read
   */
  async refuseUnknown(access: Access, { streams, document, knowledgeBase, scope }: EventFilter): Promise<void> {
    if (scope !== undefined && !(await this.#mayReadScope(access, scope))) throw new NotFound('scope', scope);
    if (document !== undefined && !(await this.#mayReadStream(access, documentStream(access.tenant, document)))) throw new NotFound('document', document);
    for (const stream of streams) if (!(await this.#mayReadStream(access, stream))) throw new NotFound('stream', stream);
    if (knowledgeBase !== undefined && !(await this.#mayReadStream(access, knowledgeBaseStream(access.tenant, knowledgeBase)))) throw new NotFound('knowledge base', knowledgeBase);
  }

  async #mayReadScope(access: Access, scope: VectorScope): Promise<boolean> {
    const [permitted] = authorise(access, [scope]);
    if (!permitted) return false;
    return isNamedByKey(access, scope) || this.#mayReadStream(access, scopeStream(permitted));
  }

  /** A stream lies in one scope for ever, so its first event tells. Retrievals are told apart one by one. */
  async #mayReadStream(access: Access, stream: StreamName): Promise<boolean> {
    if (tenantPartOf(stream) !== tenantPartOf(streamName('any', access.tenant))) return false;
    if (categoryOf({ stream }) === 'retrieval') return true;
    for await (const first of this.#log.readStream(stream, { limit: 1 })) return sightOf(access, first) === 'open';
    return false;
  }

  #read({ filter: { streams, types }, direction, cursor }: EventQuery): AsyncIterable<RecordedEvent> {
    const limit = this.#looksAt;
    const [stream] = streams;
    if (stream !== undefined) return this.#log.readStream(stream, { direction, limit, ...(cursor && 'revision' in cursor ? { from: cursor.revision } : {}) });
    return this.#log.readAll({ direction, limit, types: types ? [...types] : SHOWN_TYPES, ...(cursor && 'position' in cursor ? { from: cursor.position } : {}) });
  }

  /** Positions only compare, so the event is found as the first one behind the last one before it. */
  async #at(position: Position): Promise<RecordedEvent | undefined> {
    let before = START;
    for await (const event of this.#log.readAll({ from: position, direction: 'backwards', limit: 1 })) before = event.position;
    for await (const event of this.#log.readAll({ from: before, limit: 1 })) return event.position === position ? event : undefined;
    return undefined;
  }
}

/** A log that knows its positions refuses one that it has not handed out: here it came as a cursor. */
async function* ofCursor(read: () => AsyncIterable<RecordedEvent>): AsyncGenerator<RecordedEvent> {
  try {
    yield* read();
  } catch (error) {
    if (error instanceof InvalidValue && error.field === 'position') throw new InvalidValue('cursor', 'the "next" of an earlier answer', 'another position');
    throw error;
  }
}

/** Some logs can tell that there is nothing at a position at all. */
const neverHandedOut = (error: unknown): undefined => {
  if (error instanceof InvalidValue) return undefined;
  throw error;
};

const tenantPartOf = (stream: StreamName): string | undefined => stream.split('-')[1];

const nextOf = ({ filter: { streams }, direction }: EventQuery, { position, revision }: RecordedEvent): Cursor | undefined => {
  if (streams.length === 0) return { position };
  if (direction === 'forwards') return { revision: revision + 1 };
  return revision === 0 ? undefined : { revision: revision - 1 };
};
