import { Controller, Inject } from '@nestjs/common';
import { followEvents, getEvent, listEvents } from '@palimpsest/contracts/routes/events';
import { Buses } from '@palimpsest/runtime';
import { LiveLog, LiveStreams, Route, sendStream, startOf, type Call } from '@palimpsest/http';
import { GetEvent, ListEvents } from '../events/browse-events.ts';
import { FollowEvents } from '../events/follow-events.ts';

@Controller()
export class EventsController {
  readonly #buses: Buses;
  readonly #log: LiveLog;
  readonly #streams: LiveStreams;

  constructor(@Inject(Buses) buses: Buses, @Inject(LiveLog) log: LiveLog, @Inject(LiveStreams) streams: LiveStreams) {
    this.#buses = buses;
    this.#log = log;
    this.#streams = streams;
  }

  @Route(listEvents)
  list({ caller, query }: Call<typeof listEvents>) {
    return this.#buses.execute(new ListEvents(caller, query));
  }

  @Route(followEvents)
  async live({ access, caller, isStillKnown, query, headers, reply }: Call<typeof followEvents>): Promise<void> {
    const visible = await this.#buses.execute(new FollowEvents(caller, query));
    const after = await startOf(this.#log, headers['Last-Event-ID'], query.after);
    const messages = (signal: AbortSignal) => visible(this.#log.follow(after, signal));
    sendStream(reply, this.#streams.open({ tenant: access.tenant, event: 'event', after, messages, mayGoOn: isStillKnown }));
  }

  @Route(getEvent)
  one({ caller, params }: Call<typeof getEvent>) {
    return this.#buses.execute(new GetEvent(caller, params.position));
  }
}
