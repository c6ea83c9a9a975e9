import { context, SpanKind, trace, type Span } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import { isProbe, isStream } from '../observer.ts';
import { failed, tracer } from './spans.ts';
import { originOf } from './trace-context.ts';

/** A span for each request, named by its route, in the trace that the caller names if it names one. */
export const requestSpans = (server: FastifyInstance): void => {
  server.addHook('onRequest', (request, reply, done) => {
    if (isProbe(request.url) || isStream(request.routeOptions.url)) return done();
    const route = request.routeOptions.url ?? 'unknown';
    const attributes = { 'http.request.method': request.method, 'http.route': route };
    const origin = originOf(request.headers);
    const span = tracer().startSpan(`${request.method} ${route}`, { kind: SpanKind.SERVER, attributes }, origin);
    // Comes for whole answers and for those that were broken off.
    reply.raw.once('close', () => end(span, reply.raw.writableFinished ? reply.statusCode : undefined));
    // Whatever follows runs in it: fastify reads bodies in the context of the hooks before.
    return context.with(trace.setSpan(origin, span), done);
  });
};

const end = (span: Span, status: number | undefined): void => {
  if (status !== undefined) span.setAttribute('http.response.status_code', status);
  if (status === undefined) failed(span, 'aborted');
  else if (status >= 500) failed(span, String(status));
  span.end();
};
