import { Global, Module, type BeforeApplicationShutdown } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Readable } from 'node:stream';
import type { Journal } from '@palimpsest/contracts';
import { position, type Admission, type Position } from '@palimpsest/knowledge';
import { LiveLog } from '../live/live-log.ts';
import { LiveStreams } from '../live/live-streams.ts';
import { PORT, type OnFault } from './ports.ts';

export type LiveSettings = Readonly<{ liveStreamsPerTenant: number }>;

/** Streams never end by themselves: they must, before the server waits for its answers to end. */
class Ending implements BeforeApplicationShutdown {
  readonly #streams: LiveStreams;

  constructor(streams: LiveStreams) {
    this.#streams = streams;
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.#streams.close();
  }
}

/** One subscription of the log, and one limit of streams, for all features of the process. */
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
      inject: [PORT.Settings, PORT.Admission, PORT.OnFault],
      useFactory: ({ liveStreamsPerTenant }: LiveSettings, admission: Admission, onFault: OnFault) =>
        new LiveStreams({ mostPerTenant: liveStreamsPerTenant, mayOpen: (tenant, open) => admission.liveStream(tenant, open), onError: (error) => onFault(error, 'a live stream') }),
    },
    { provide: Ending, inject: [LiveStreams], useFactory: (streams: LiveStreams) => new Ending(streams) },
  ],
  exports: [LiveLog, LiveStreams],
})
export class LiveModule {}

/** Where a stream begins: behind the last message that the caller has, else behind `after`, else now. @throws InvalidValue */
export const startOf = async (log: LiveLog, lastEventId: string | undefined, after: Position | undefined): Promise<Position> => {
  const given = lastEventId === undefined || lastEventId === '' ? after : position(lastEventId, 'last-event-id');
  if (given === undefined) return log.head();
  await log.check(given);
  return given;
};

export const sendStream = (reply: FastifyReply, body: Readable): void => {
  void reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }).send(body);
};
