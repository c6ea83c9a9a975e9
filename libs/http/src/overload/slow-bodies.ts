import type { IncomingMessage, ServerResponse } from 'node:http';
import { SYSTEM } from '@palimpsest/foundation';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { problemOf } from '../problems/problem.ts';
import type { KindOfWork } from './kind-of-work.ts';
import { requestIdOf } from '../request-id.ts';

/** The received bytes of a request. NaN while data waits to be read: a body that arrives faster than it is processed is not late. */
const progressOf = (request: IncomingMessage): number => (request.readableLength > 0 ? NaN : request.socket.bytesRead);

const cutOff = (request: IncomingMessage, response: ServerResponse, id: string, ms: number): void => {
  const problem = problemOf(
    new InvalidValue('body', `the announced number of bytes, none of them more than ${ms / 1000} s late`, undefined),
  );
  const body = JSON.stringify(problem);
  const headers = [
    'content-type',
    'application/problem+json',
    'content-length',
    String(Buffer.byteLength(body)),
    'x-request-id',
    id,
    'connection',
    'close',
  ];
  response.writeHead(problem.status, headers).end(body, () => void request.destroy());
};

/**
 * Ends admitted requests that do not send their body, which would otherwise hold their slots indefinitely. The body of a search is
 * small: all of it must arrive within the time. The body of a write may be large: some of it must arrive in each such interval.
 */
export const cutOffSlowBody = (request: IncomingMessage, response: ServerResponse, kind: KindOfWork, ms: number): void => {
  if (request.complete) return;
  // The handler reads the id from the header, so that response and log have the same id.
  const id = requestIdOf(request);
  request.headers['x-request-id'] = id;
  let before = progressOf(request);
  const isLate = (): boolean => !request.complete && (kind !== 'write' || progressOf(request) === before);
  const stop = SYSTEM.scheduler.every(ms, () => {
    // Timers run before connections are read: data that arrived while the event loop was busy must be read first.
    if (isLate())
      SYSTEM.scheduler.soon(() => {
        if (isLate() && !response.headersSent && !response.destroyed) cutOff(request, response, id, ms);
        before = progressOf(request);
      });
    else before = progressOf(request);
    if (request.complete) stop();
  });
  response.once('close', stop);
};
