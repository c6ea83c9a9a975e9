import type { IncomingMessage, ServerResponse } from 'node:http';
import { InvalidValue } from '@palimpsest/knowledge';
import { problemOf } from '@palimpsest/runtime';
import type { KindOfWork } from './kind-of-work.ts';
import { requestIdOf } from '../request-id.ts';

/** What has come of a request so far. A body that comes faster than it is worked on is not late. */
const progressOf = (request: IncomingMessage): number => (request.readableLength > 0 ? NaN : request.socket.bytesRead);

const cutOff = (request: IncomingMessage, response: ServerResponse, id: string, ms: number): void => {
  const problem = problemOf(new InvalidValue('body', `as many bytes as were announced, none of them later than ${ms / 1000} s`, undefined));
  const body = JSON.stringify(problem);
  const headers = ['content-type', 'application/problem+json', 'content-length', String(Buffer.byteLength(body)), 'x-request-id', id, 'connection', 'close'];
  response.writeHead(problem.status, headers).end(body, () => void request.destroy());
};

/**
 * Whoever was let in and does not send what it announced would keep others out for as long as it likes. A query is small: all of it must be there
 * in time. What changes something may be large: some of it must come in each such time.
 */
export const cutOffSlowBody = (request: IncomingMessage, response: ServerResponse, kind: KindOfWork, ms: number): void => {
  if (request.complete) return;
  // Whoever handles it takes its id from here, too: answer and log name the same one.
  const id = requestIdOf(request);
  request.headers['x-request-id'] = id;
  let before = progressOf(request);
  const isLate = (): boolean => !request.complete && (kind !== 'write' || progressOf(request) === before);
  const timer = setInterval(() => {
    // What has come while the event loop was busy is read first: timers are looked at before connections.
    if (isLate()) setImmediate(() => {
        if (isLate() && !response.headersSent && !response.destroyed) cutOff(request, response, id, ms);
        before = progressOf(request);
      });
    else before = progressOf(request);
    if (request.complete) clearInterval(timer);
  }, ms);
  response.once('close', () => clearInterval(timer));
};
