import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Access, Position, RecordedEvent } from '@palimpsest/knowledge';
import type { BrowseEvents } from './browse-events.ts';
import type { EventFilter } from './event-query.ts';
import type { SeenEvent } from './see-event.ts';

export type Batches = AsyncIterable<Readonly<{ events: readonly RecordedEvent[]; upTo: Position }>>;
export type Followed = Readonly<{ position: Position; data?: SeenEvent }>;

/** Unsealing is work for the processor: after so many events others have their turn. */
const AT_ONCE = 32;

/** The same events as in the list, as they come; after each batch how far that was, whatever was left out. */
export async function* followEvents(browse: BrowseEvents, access: Access, filter: EventFilter, batches: Batches): AsyncGenerator<Followed> {
  for await (const { events, upTo } of batches) {
    for (const [i, event] of events.entries()) {
      if (i % AT_ONCE === AT_ONCE - 1) await nextTurn();
      const data = await browse.see(access, event, filter);
      if (data) yield { position: event.position, data };
    }
    yield { position: upTo };
  }
}
