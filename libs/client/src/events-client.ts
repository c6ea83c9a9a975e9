import type { FollowOptions } from './live/follow.ts';
import { path } from './transport.ts';
import type { CallOptions } from './call-options.ts';
import type { Query, Transport } from './transport.ts';
import type { EventPage, EventView } from '@palimpsest/contracts/http';
import type { EventFilter, EventQuery } from './requests.ts';
import { REQUEST_LIMITS } from './request-limits.ts';

const asQuery = ({ types, ...rest }: EventQuery): Query => ({ ...rest, type: types });

/** The part of the event log that the caller may read (`client.events`). */
export class EventsClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query: EventQuery = {}, { signal }: CallOptions = {}): Promise<EventPage> {
    return this.#transport.send({ method: 'GET', path: '/v1/events', query: asQuery(query), signal });
  }

  /** Every event that matches the filter, page by page. */
  async *listAll(query: Omit<EventQuery, 'cursor'> = {}, options: CallOptions = {}): AsyncGenerator<EventView> {
    let cursor: string | undefined;
    do {
      const page: EventPage = await this.list({ limit: REQUEST_LIMITS.page.events, ...query, cursor }, options);
      yield* page.events;
      cursor = page.next;
    } while (cursor !== undefined);
  }

  get(position: string, { signal }: CallOptions = {}): Promise<EventView> {
    return this.#transport.send({ method: 'GET', path: path`/v1/events/${position}`, signal });
  }

  /** Events as they are recorded; reconnects automatically, without gaps or duplicates. */
  follow(filter: EventFilter = {}, options: FollowOptions = {}): AsyncGenerator<EventView> {
    return this.#transport.follow('/v1/events/live', asQuery(filter), options);
  }
}
