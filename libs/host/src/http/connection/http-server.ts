import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { InvalidValue } from '@palimpsest/knowledge';
import { problemOf } from '@palimpsest/runtime';
import type { QuietTurns } from '../overload/quiet-turns.ts';
import { answerProblem } from './answer-problem.ts';
import { hostFault, type HostRule } from './host-header.ts';
import { LingeringResponse } from './lingering-response.ts';
import { requestTarget } from './request-target.ts';

/** As Fastify sets them where it makes the server itself: idle connections are closed after so long, an upload may take its time. */
const KEEP_ALIVE_MS = 72_000;
const NO_LIMIT = 0;

/** The requests that wait for `100 Continue` before they send their body: it is sent once they are let in. */
const waiting = new WeakSet<IncomingMessage>();

/** Lets the body come, where the client waits for that. */
export const letBodyCome = (request: IncomingMessage, response: ServerResponse): void => {
  if (waiting.delete(request)) response.writeContinue();
};

/** For Fastify's `serverFactory`. Before anything else, a request must name this server. */
export const httpServer = (turns: QuietTurns, hosts: HostRule) => (handle: RequestListener): Server => {
  const receive: RequestListener = (request, response) => {
    turns.arrived();
    const target = requestTarget(request.url ?? '/');
    const fault = target === undefined ? new InvalidValue('url', 'a path', request.url) : hostFault(request, target.authority, hosts);
    if (fault !== undefined || target === undefined) return answerProblem(request, response, problemOf(fault));
    request.url = target.url;
    handle(request, response);
  };
  // Node's own check of the `Host` header answers without a problem document.
  const server = createServer({ ServerResponse: LingeringResponse, requireHostHeader: false }, receive);
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(request);
    receive(request, response as Parameters<RequestListener>[1]);
  });
  server.on('connection', () => turns.arrived());
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.requestTimeout = NO_LIMIT;
  return server;
};
