import { Controller, Inject } from '@nestjs/common';
import { followDocuments } from '@palimpsest/contracts/routes/documents';
import { Buses } from '@palimpsest/runtime';
import { LiveLog, LiveStreams, Route, sendStream, startOf, type Call } from '@palimpsest/http';
import { FollowDocuments } from '../documents/follow-documents.ts';

@Controller()
export class LiveDocumentsController {
  readonly #buses: Buses;
  readonly #log: LiveLog;
  readonly #streams: LiveStreams;

  constructor(@Inject(Buses) buses: Buses, @Inject(LiveLog) log: LiveLog, @Inject(LiveStreams) streams: LiveStreams) {
    this.#buses = buses;
    this.#log = log;
    this.#streams = streams;
  }

  @Route(followDocuments)
  async live({ access, caller, isStillKnown, query, headers, reply }: Call<typeof followDocuments>): Promise<void> {
    const changes = await this.#buses.execute(new FollowDocuments(caller, query));
    const after = await startOf(this.#log, headers['Last-Event-ID'], query.after);
    const messages = (signal: AbortSignal) => changes(this.#log.follow(after, signal), signal);
    sendStream(reply, this.#streams.open({ tenant: access.tenant, event: 'document', after, messages, mayGoOn: isStillKnown }));
  }
}
