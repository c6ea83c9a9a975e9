import { Controller, Inject } from '@nestjs/common';
import { followEvents, getEvent, listEvents } from '@palimpsest/contracts/http';
import { LiveLog, LiveStreams, Route, sendStream, startOf, type Call } from '@palimpsest/runtime';
import { BrowseEvents } from '../events/browse-events.ts';
import { eventFilter } from '../events/event-query.ts';
import { followEvents as follow } from '../events/follow-events.ts';

@Controller()
export class EventsController {
  readonly #browse: BrowseEvents;
  readonly #log: LiveLog;
  readonly #streams: LiveStreams;

  constructor(@Inject(BrowseEvents) browse: BrowseEvents, @Inject(LiveLog) log: LiveLog, @Inject(LiveStreams) streams: LiveStreams) {
    this.#browse = browse;
    this.#log = log;
    this.#streams = streams;
  }

  @Route(listEvents)
  list({ access, query }: Call<typeof listEvents>) {
    return this.#browse.page(access, query);
  }

  @Route(followEvents)
  async live({ access, isStillKnown, query, headers, reply }: Call<typeof followEvents>): Promise<void> {
    const filter = eventFilter(access, query);
    await this.#browse.refuseUnknown(access, filter);
    const after = await startOf(this.#log, headers['Last-Event-ID'], query.after);
    const messages = (signal: AbortSignal) => follow(this.#browse, access, filter, this.#log.follow(after, signal));
    sendStream(reply, this.#streams.open({ tenant: access.tenant, event: 'event', after, messages, mayGoOn: isStillKnown }));
  }

  @Route(getEvent)
  one({ access, params }: Call<typeof getEvent>) {
    return this.#browse.one(access, params.position);
  }
}
