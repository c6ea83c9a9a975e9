import { context, SpanKind, trace, type Span } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import { isProbe, isStream } from '../observer.ts';
import { failed, tracer } from './spans.ts';
import { originOf } from './trace-context.ts';

/** A span for each request, named by its route, in the trace of the caller if there is one. */
export const requestSpans = (server: FastifyInstance): void => {
  server.addHook('onRequest', (request, reply, done) => {
    if (isProbe(request.url) || isStream(request.routeOptions.url)) return done();
    const route = request.routeOptions.url ?? 'unknown';
    const attributes = { 'http.request.method': request.method, 'http.route': route };
    const origin = originOf(request.headers);
    const span = tracer().startSpan(`${request.method} ${route}`, { kind: SpanKind.SERVER, attributes }, origin);
    // Emitted for complete and for aborted responses.
    reply.raw.once('close', () => end(span, reply.raw.writableFinished ? reply.statusCode : undefined));
    // All further work runs in this context: fastify reads bodies in the context of the previous hooks.
    return context.with(trace.setSpan(origin, span), done);
  });
};

const end = (span: Span, status: number | undefined): void => {
  if (status !== undefined) span.setAttribute('http.response.status_code', status);
  if (status === undefined) failed(span, 'aborted');
  else if (status >= 500) failed(span, String(status));
  span.end();
};
