import { nextTurn, SYSTEM } from '@palimpsest/foundation';
import { followEvents as contract } from '@palimpsest/contracts/routes/events';
import { NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { Access } from '@palimpsest/knowledge/access';
import type { RecordedEvent } from '@palimpsest/knowledge/ports';
import type { Position } from '@palimpsest/knowledge/values';
import type { BrowseEvents } from './browse-events.ts';
import { eventFilter, roleFor, type AskedFilter, type EventFilter } from './event-query.ts';
import type { VisibleEvent } from './to-event-view.ts';

export type Batches = AsyncIterable<Readonly<{ events: readonly RecordedEvent[]; upTo: Position }>>;
export type Followed = Readonly<{ position: Position; data?: VisibleEvent }>;

/** The events that a caller may see, of batches of the log. */
export type EventStream = (batches: Batches) => AsyncGenerator<Followed>;

/** Follows the event log. Each event is checked when it is sent. */
export class FollowEvents extends query<AskedFilter, EventStream>(contract, { role: roleFor, ...NO_ROWS }) {}

export class FollowEventsHandler implements UseCase {
  readonly handlers = [on(FollowEvents, ({ access, input }) => this.run(access, input))];
  readonly #browse: BrowseEvents;

  constructor(browse: BrowseEvents) {
    this.#browse = browse;
  }

  /** @throws NotFound when the filter names something that the caller may not view or that does not exist */
  async run(access: Access, asked: AskedFilter): Promise<EventStream> {
    const filter = eventFilter(access, asked);
    await this.#browse.refuseUnknown(access, filter);
    return (batches) => followEvents(this.#browse, access, filter, batches);
  }
}

/** Unsealing is CPU-bound: after this many events, the event loop runs other work. */
const EVENTS_PER_TICK = 32;

/** Yields the same events as the list, as they are recorded; after each batch also the position reached, even if no event matched. */
export async function* followEvents(browse: BrowseEvents, access: Access, filter: EventFilter, batches: Batches): AsyncGenerator<Followed> {
  for await (const { events, upTo } of batches) {
    for (const [i, event] of events.entries()) {
      if (i % EVENTS_PER_TICK === EVENTS_PER_TICK - 1) await nextTurn(SYSTEM.scheduler);
      const data = await browse.view(access, event, filter);
      if (data) yield { position: event.position, data };
    }
    yield { position: upTo };
  }
}
