import { Controller, Get, Headers, Inject, Param, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { position } from '@palimpsest/knowledge';
import { ApiQueries, Caller, LiveLog, LiveStreams, sendStream, startOf, type CallerContext, Policy } from '@palimpsest/runtime';
import { BrowseEvents } from '../events/browse-events.ts';
import { eventsQuery, liveEventQuery, liveQuery } from '../events/event-query.ts';
import { followEvents } from '../events/follow-events.ts';

@ApiTags('Events')
@Controller('v1/events')
export class EventsController {
  readonly #browse: BrowseEvents;
  readonly #log: LiveLog;
  readonly #streams: LiveStreams;

  constructor(@Inject(BrowseEvents) browse: BrowseEvents, @Inject(LiveLog) log: LiveLog, @Inject(LiveStreams) streams: LiveStreams) {
    this.#browse = browse;
    this.#log = log;
    this.#streams = streams;
  }

  @Get()
  @ApiOperation({ summary: 'List the events of the caller’s tenant that the caller may see, newest first' })
  @ApiQueries(eventsQuery)
  list(@Caller() { access }: CallerContext, @Query() query: unknown) {
    return this.#browse.page(access, query);
  }

  @Get('live')
  @Policy({ work: 'none' })
  @ApiOperation({ summary: 'Stream events as server-sent events as they are recorded; resumes after Last-Event-ID' })
  @ApiProduces('text/event-stream')
  @ApiHeader({ name: 'last-event-id', required: false, description: 'position of the last event that the caller received' })
  @ApiQueries(liveQuery)
  async live(@Caller() caller: CallerContext, @Query() query: unknown, @Headers('last-event-id') lastEventId: string | undefined, @Res() reply: FastifyReply) {
    const { access, isStillKnown } = caller;
    const { filter, after: asked } = liveEventQuery(access, query);
    await this.#browse.refuseUnknown(access, filter);
    const after = await startOf(this.#log, lastEventId, asked);
    const messages = (signal: AbortSignal) => followEvents(this.#browse, access, filter, this.#log.follow(after, signal));
    sendStream(reply, this.#streams.open({ tenant: access.tenant, event: 'event', after, messages, mayGoOn: isStillKnown }));
  }

  @Get(':position')
  @ApiOperation({ summary: 'Get one event; its data is unsealed if the caller may read it' })
  one(@Caller() { access }: CallerContext, @Param('position') at: string) {
    return this.#browse.one(access, position(at));
  }
}
