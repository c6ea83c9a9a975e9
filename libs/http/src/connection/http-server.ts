import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { problemOf } from '../problems/problem.ts';
import type { QuietTicks } from '../overload/quiet-ticks.ts';
import { answerProblem } from './answer-problem.ts';
import { hostFault, type HostRule } from './host-header.ts';
import { LingeringResponse } from './lingering-response.ts';
import { requestTarget } from './request-target.ts';

/** The values of Fastify's own server: idle connections are closed after 72 s, and the duration of a request is not limited. */
const KEEP_ALIVE_MS = 72_000;
const NO_LIMIT = 0;

/** Requests that wait for `100 Continue` before they send their body. The server sends it once they are admitted. */
const waiting = new WeakSet<IncomingMessage>();

/** Sends `100 Continue` if the client waits for it. */
export const sendContinue = (request: IncomingMessage, response: ServerResponse): void => {
  if (waiting.delete(request)) response.writeContinue();
};

/** For Fastify's `serverFactory`. The host of each request is checked first. */
export const httpServer =
  (quietTicks: QuietTicks, hosts: HostRule) =>
  (handle: RequestListener): Server => {
    const receive: RequestListener = (request, response) => {
      quietTicks.arrived();
      const target = requestTarget(request.url ?? '/');
      const fault = target === undefined ? new InvalidValue('url', 'a path', request.url) : hostFault(request, target.authority, hosts);
      if (fault !== undefined || target === undefined) return answerProblem(request, response, problemOf(fault));
      request.url = target.url;
      handle(request, response);
    };
    // Node's own check of the `Host` header responds without a problem document.
    const server = createServer({ ServerResponse: LingeringResponse, requireHostHeader: false }, receive);
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      waiting.add(request);
      receive(request, response as Parameters<RequestListener>[1]);
    });
    server.on('connection', () => quietTicks.arrived());
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.requestTimeout = NO_LIMIT;
    return server;
  };
