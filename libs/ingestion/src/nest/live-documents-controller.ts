import { Controller, Inject } from '@nestjs/common';
import { followDocuments } from '@palimpsest/contracts/http';
import { LiveLog, LiveStreams, Route, sendStream, startOf, type Call } from '@palimpsest/runtime';
import { FollowDocuments } from '../documents/follow-documents.ts';

@Controller()
export class LiveDocumentsController {
  readonly #follow: FollowDocuments;
  readonly #log: LiveLog;
  readonly #streams: LiveStreams;

  constructor(@Inject(FollowDocuments) follow: FollowDocuments, @Inject(LiveLog) log: LiveLog, @Inject(LiveStreams) streams: LiveStreams) {
    this.#follow = follow;
    this.#log = log;
    this.#streams = streams;
  }

  @Route(followDocuments)
  async live({ access, isStillKnown, query, headers, reply }: Call<typeof followDocuments>): Promise<void> {
    await this.#follow.refuseUnknown(access, query);
    const after = await startOf(this.#log, headers['Last-Event-ID'], query.after);
    const messages = (signal: AbortSignal) => this.#follow.changes(access, query, this.#log.follow(after, signal), signal);
    sendStream(reply, this.#streams.open({ tenant: access.tenant, event: 'document', after, messages, mayGoOn: isStillKnown }));
  }
}
