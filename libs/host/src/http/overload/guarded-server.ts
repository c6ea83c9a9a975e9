import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Doors } from './doors.ts';
import { kindOfWork } from './kind-of-work.ts';
import { holdPermit, Permit } from './permit.ts';
import type { QuietTurns } from './quiet-turns.ts';
import { Refusals } from './refusals.ts';
import { cutOffSlowBody } from './slow-bodies.ts';

/** Of the body of a request: its bytes, and for how long it may be on its way without any of them coming, milliseconds. */
export type BodyLimits = Readonly<{ mostBytes: number; bodyMs: number }>;

/** What a request without a stated length is counted as: as large as any may be. */
const lengthOf = ({ headers }: IncomingMessage, mostBytes: number): number => {
  if (headers['transfer-encoding'] !== undefined) return mostBytes;
  const stated = Number(headers['content-length'] ?? 0);
  return Number.isFinite(stated) && stated > 0 ? Math.min(stated, mostBytes) : 0;
};

/** A listener that hands on what the doors let in. What it refuses costs next to nothing: no hook, no route, no body, no key. */
export const guarded = (handle: RequestListener, doors: Doors, limits: BodyLimits, refusals: Refusals): RequestListener => (request, response) => {
  const kind = kindOfWork(request.method ?? 'GET', request.url ?? '/');
  if (kind === undefined) {
    handle(request, response);
    return;
  }
  const permit = new Permit();
  // A body that was read before the request waited is not waited for again.
  holdPermit(request, permit, (enter, refuse) => doors.ask(kind, request.complete ? 0 : lengthOf(request, limits.mostBytes), enter, refuse));
  permit.acquire(
    (enter, refuse) => doors.ask(kind, lengthOf(request, limits.mostBytes), enter, refuse),
    () => {
      cutOffSlowBody(request, response, kind, limits.bodyMs);
      handle(request, response);
    },
    (refusal) => refusals.answer(request, response, refusal),
  );
  // One listener for both: a file that is sent has so many of others' that Node warns of a leak at one more.
  response.once('close', () => permit.close());
};

/** As Fastify sets them where it makes the server itself: idle connections are closed after so long, an upload may take its time. */
const KEEP_ALIVE_MS = 72_000;
const NO_LIMIT = 0;

/** For Fastify's `serverFactory`; `turns` are those that the doors' `later` waits for. */
export const guardedServer = (doors: Doors, turns: QuietTurns, limits: BodyLimits, refusals = new Refusals()) => (handle: RequestListener): Server => {
  const admit = guarded(handle, doors, limits, refusals);
  const server = createServer((request, response) => {
    turns.arrived();
    admit(request, response);
  });
  server.on('connection', () => turns.arrived());
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.requestTimeout = NO_LIMIT;
  return server;
};
