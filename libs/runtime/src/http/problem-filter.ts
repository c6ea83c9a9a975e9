import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MethodNotAllowed } from './http-errors.ts';
import { problemOf } from './problem.ts';

export type FaultLog = (error: unknown, request: Readonly<{ id: string; method: string; route: string }>) => void;

/** The code of the problem that a request was answered with, for those who count. */
export type ToldProblem = { problemCode?: string };

/** Every error of every route leaves as problem details. */
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
    // That a caller did not want to wait longer is no fault of ours.
    if (problem.status >= 500 && problem.code !== 'NotCaughtUp') this.#log(error, { id: request.id, method: request.method, route: request.routeOptions.url ?? '' });
    if (problem.retryAfterSeconds !== undefined) void reply.header('retry-after', String(problem.retryAfterSeconds));
    if (problem.status === 401) void reply.header('www-authenticate', 'Bearer');
    if (error instanceof MethodNotAllowed) void reply.header('allow', error.allow.join(', '));
    // An answer that has begun (a stream) cannot become another one.
    if (reply.sent || reply.raw.headersSent) return;
    (request as ToldProblem).problemCode = problem.code;
    void reply.status(problem.status).header('content-type', 'application/problem+json').send(problem);
  }
}
