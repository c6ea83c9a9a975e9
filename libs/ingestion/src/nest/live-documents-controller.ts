import { Controller, Get, Headers, Inject, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiQueries, Caller, LiveLog, LiveStreams, sendStream, startOf, type CallerContext, Policy } from '@palimpsest/runtime';
import { FollowDocuments, liveDocuments, liveDocumentsQuery } from '../documents/follow-documents.ts';

@ApiTags('Documents')
@Controller('v1/documents')
export class LiveDocumentsController {
  readonly #follow: FollowDocuments;
  readonly #log: LiveLog;
  readonly #streams: LiveStreams;

  constructor(@Inject(FollowDocuments) follow: FollowDocuments, @Inject(LiveLog) log: LiveLog, @Inject(LiveStreams) streams: LiveStreams) {
    this.#follow = follow;
    this.#log = log;
    this.#streams = streams;
  }

  @Get('live')
  @Policy({ work: 'none' })
  @ApiOperation({ summary: 'Server-sent events: document changes, sent once the lists show them; resumes after Last-Event-ID' })
  @ApiProduces('text/event-stream')
  @ApiHeader({ name: 'last-event-id', required: false, description: 'position of the last change that the client received' })
  @ApiQueries(liveDocumentsQuery)
  async live(@Caller() { access, isStillKnown }: CallerContext, @Query() query: unknown, @Headers('last-event-id') lastEventId: string | undefined, @Res() reply: FastifyReply) {
    const asked = liveDocuments(access, query);
    await this.#follow.refuseUnknown(access, asked);
    const after = await startOf(this.#log, lastEventId, asked.after);
    const messages = (signal: AbortSignal) => this.#follow.changes(access, asked, this.#log.follow(after, signal), signal);
    sendStream(reply, this.#streams.open({ tenant: access.tenant, event: 'document', after, messages, mayGoOn: isStillKnown }));
  }
}
