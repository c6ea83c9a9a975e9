import type { FastifyInstance } from 'fastify';
import type { ToldProblem } from '@palimpsest/runtime';
import { isProbe, isStream } from '../observer.ts';
import type { Instruments } from './instruments.ts';

/** By route template, so that no id and no query becomes a label; what has no route is one label, whatever was asked for. */
export const measuredRequests = (server: FastifyInstance, { httpDuration, httpProblems }: Instruments): void => {
  server.addHook('onRequest', (request, reply, done) => {
    if (isProbe(request.url) || isStream(request.routeOptions.url)) return done();
    const end = httpDuration.startTimer({ method: request.method, route: request.routeOptions.url ?? 'unknown' });
    reply.raw.once('close', () => {
      end({ status: reply.raw.writableFinished ? `${Math.floor(reply.statusCode / 100)}xx` : 'aborted' });
      const { problemCode } = request as ToldProblem;
      if (problemCode !== undefined) httpProblems.inc({ code: problemCode });
    });
    return done();
  });
};
