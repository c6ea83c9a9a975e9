import type { FastifyInstance } from 'fastify';
import type { AnsweredProblem } from '@palimpsest/http';
import { isProbe, isStream } from '../observer.ts';
import type { Instruments } from './instruments.ts';

/** Measures requests by route template, so that no id or query becomes a label. All requests without a route share one label. */
export const measuredRequests = (server: FastifyInstance, { httpDuration, httpProblems }: Instruments): void => {
  server.addHook('onRequest', (request, reply, done) => {
    if (isProbe(request.url) || isStream(request.routeOptions.url)) return done();
    const end = httpDuration.startTimer({ method: request.method, route: request.routeOptions.url ?? 'unknown' });
    reply.raw.once('close', () => {
      end({ status: reply.raw.writableFinished ? `${Math.floor(reply.statusCode / 100)}xx` : 'aborted' });
      const { problemCode } = request as AnsweredProblem;
      if (problemCode !== undefined) httpProblems.inc({ code: problemCode });
    });
    return done();
  });
};
