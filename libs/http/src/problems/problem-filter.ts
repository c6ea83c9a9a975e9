import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MethodNotAllowed } from './http-errors.ts';
import { problemOf } from './problem.ts';

export type FaultLog = (error: unknown, request: Readonly<{ id: string; method: string; route: string }>) => void;

/** The problem code of the response, for metrics and audit. */
export type AnsweredProblem = { problemCode?: string };

/** Converts errors of all routes to problem details. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #log: FaultLog;

  constructor(log: FaultLog) {
    this.#log = log;
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const problem = problemOf(error);
    // `NotCaughtUp` means that the caller limited its wait; it is not a server error.
    if (problem.status >= 500 && problem.code !== 'NotCaughtUp')
      this.#log(error, { id: request.id, method: request.method, route: request.routeOptions.url ?? '' });
    if (problem.retryAfterSeconds !== undefined) void reply.header('retry-after', String(problem.retryAfterSeconds));
    if (problem.status === 401) void reply.header('www-authenticate', 'Bearer');
    if (error instanceof MethodNotAllowed) void reply.header('allow', error.allow.join(', '));
    // A response that has started (a stream) cannot be replaced.
    if (reply.sent || reply.raw.headersSent) return;
    (request as AnsweredProblem).problemCode = problem.code;
    void reply.status(problem.status).header('content-type', 'application/problem+json').send(problem);
  }
}
