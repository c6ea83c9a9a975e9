import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { problemOf } from '@palimpsest/runtime';
import { Overloaded } from '@palimpsest/knowledge';
import type { Refusal } from './door.ts';
import type { Doors } from './doors.ts';
import { kindOfWork } from './kind-of-work.ts';
import type { QuietTurns } from './quiet-turns.ts';
import { RefusedConnections } from './refused-connections.ts';
import { requestIdOf } from '../request-id.ts';

/** What a request without a stated length is counted as: as large as any may be. */
const lengthOf = ({ headers }: IncomingMessage, mostBytes: number): number => {
  if (headers['transfer-encoding'] !== undefined) return mostBytes;
  const stated = Number(headers['content-length'] ?? 0);
  return Number.isFinite(stated) && stated > 0 ? Math.min(stated, mostBytes) : 0;
};

/** Answers it without any of what a request otherwise goes through: what refusing costs is taken from what is done for others. */
const refuse = (request: IncomingMessage, response: ServerResponse, { reason, retryAfterSeconds }: Refusal, connections: RefusedConnections): void => {
  if (response.destroyed || response.headersSent) return;
  const problem = problemOf(new Overloaded(reason, retryAfterSeconds));
  const body = JSON.stringify(problem);
  response.writeHead(problem.status, [
    'content-type', 'application/problem+json', 'content-length', String(Buffer.byteLength(body)), 'retry-after', String(retryAfterSeconds), 'x-request-id', requestIdOf(request),
  ]);
  // Node reads what may be left of the request first.
  response.end(body, () => void setImmediate(() => connections.rest(request.socket)));
};

/** A listener that hands on what the doors let in. What it refuses costs next to nothing: no hook, no route, no body, no key. */
export const guarded = (handle: RequestListener, doors: Doors, mostBytes: number, connections: RefusedConnections): RequestListener => (request, response) => {
  const kind = kindOfWork(request.method ?? 'GET', request.url ?? '/');
  if (kind === undefined) {
    handle(request, response);
    return;
  }
  const leave = doors.ask(
    kind,
    lengthOf(request, mostBytes),
    ({ done }) => {
      // Whoever left while waiting is not worked for.
      if (response.destroyed || response.closed) {
        done();
        return;
      }
      response.once('close', done);
      handle(request, response);
    },
    (refusal) => refuse(request, response, refusal, connections),
  );
  response.once('close', leave);
};

/** As Fastify sets them where it makes the server itself: idle connections are closed after so long, an upload may take its time. */
const KEEP_ALIVE_MS = 72_000;
const NO_LIMIT = 0;

/** For Fastify's `serverFactory`; `turns` are those that the doors' `later` waits for. */
export const guardedServer = (doors: Doors, turns: QuietTurns, mostBytes: number, connections = new RefusedConnections()) => (handle: RequestListener): Server => {
  const admit = guarded(handle, doors, mostBytes, connections);
  const server = createServer((request, response) => {
    turns.arrived();
    admit(request, response);
  });
  server.on('connection', () => turns.arrived());
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.requestTimeout = NO_LIMIT;
  return server;
};
