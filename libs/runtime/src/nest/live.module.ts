import { Global, Module, type BeforeApplicationShutdown } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Readable } from 'node:stream';
import type { Journal } from '@palimpsest/contracts';
import { position, type QuotaPolicy, type Position } from '@palimpsest/knowledge';
import { LiveLog } from '../live/live-log.ts';
import { LiveStreams } from '../live/live-streams.ts';
import { PORT, type OnFault } from './ports.ts';

export type LiveSettings = Readonly<{ liveStreamsPerTenant: number }>;

/** Ends the streams before the server waits for open responses: streams never end on their own. */
class StreamShutdown implements BeforeApplicationShutdown {
  readonly #streams: LiveStreams;

  constructor(streams: LiveStreams) {
    this.#streams = streams;
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.#streams.close();
  }
}

/** One log subscription and one stream limit, shared by all features of the process. */
@Global()
@Module({
  providers: [
    {
      provide: LiveLog,
      inject: [PORT.Journal, PORT.OnFault],
      useFactory: (journal: Journal, onFault: OnFault) => new LiveLog(journal.log, { onError: (error) => onFault(error, 'following the log for live streams') }),
    },
    {
      provide: LiveStreams,
      inject: [PORT.Settings, PORT.QuotaPolicy, PORT.OnFault],
      useFactory: ({ liveStreamsPerTenant }: LiveSettings, quotas: QuotaPolicy, onFault: OnFault) =>
        new LiveStreams({ maxPerTenant: liveStreamsPerTenant, mayOpen: (tenant, open) => quotas.liveStream(tenant, open), onError: (error) => onFault(error, 'sending a live stream') }),
    },
    { provide: StreamShutdown, inject: [LiveStreams], useFactory: (streams: LiveStreams) => new StreamShutdown(streams) },
  ],
  exports: [LiveLog, LiveStreams],
})
export class LiveModule {}

/** Start position of a stream: after `Last-Event-ID`, otherwise after `after`, otherwise the end of the log. @throws InvalidValue */
export const startOf = async (log: LiveLog, lastEventId: string | undefined, after: Position | undefined): Promise<Position> => {
  const given = lastEventId === undefined || lastEventId === '' ? after : position(lastEventId, 'last-event-id');
  if (given === undefined) return log.head();
  await log.check(given);
  return given;
};

export const sendStream = (reply: FastifyReply, body: Readable): void => {
  void reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }).send(body);
};
