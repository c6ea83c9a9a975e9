import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { position, type Position } from '@palimpsest/knowledge/values';
import type { LiveLog } from './live-log.ts';

/** Start position of a stream: after `Last-Event-ID`, otherwise after `after`, otherwise the end of the log. @throws InvalidValue */
export const startOf = async (log: LiveLog, lastEventId: string | undefined, after: Position | undefined): Promise<Position> => {
  const given = lastEventId === undefined || lastEventId === '' ? after : position(lastEventId, 'last-event-id');
  if (given === undefined) return log.head();
  await log.check(given);
  return given;
};

export const sendStream = (reply: FastifyReply, body: Readable): void => {
  void reply
    .headers({ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
    .send(body);
};
