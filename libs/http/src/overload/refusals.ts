import type { IncomingMessage, ServerResponse } from 'node:http';
import { SYSTEM } from '@palimpsest/foundation';
import { Overloaded } from '@palimpsest/knowledge/errors';
import { problemOf } from '../problems/problem.ts';
import type { Refusal } from './concurrency-limiter.ts';
import { RefusedConnections } from './refused-connections.ts';
import { requestIdOf } from '../request-id.ts';

type RenderedRefusal = Readonly<{ refusal: Refusal; status: number; body: string; headers: readonly string[] }>;

/**
 * Responds to refused requests without the usual request handling, because the cost of refusals reduces the capacity for admitted requests.
 */
export class Refusals {
  readonly #connections: RefusedConnections;
  readonly #now: () => number;
  /** The last refusal, for reuse: most refusals are equal, and creating the error and its text takes longer than sending it. */
  #last: RenderedRefusal | undefined;

  constructor(connections = new RefusedConnections(), now: () => number = () => SYSTEM.clock.elapsed()) {
    this.#connections = connections;
    this.#now = now;
  }

  answer(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
    if (response.destroyed || response.headersSent) return;
    const startedAt = this.#now();
    const { status, headers, body } = this.#render(refusal);
    response.writeHead(status, [...headers, 'x-request-id', requestIdOf(request)]);
    let tookMs = 0;
    // After a tick, because Node first reads the rest of the request.
    response.end(body, () => SYSTEM.scheduler.soon(() => this.#connections.throttle(request.socket, tookMs)));
    tookMs = this.#now() - startedAt;
  }

  #render(refusal: Refusal): RenderedRefusal {
    const last = this.#last;
    if (last?.refusal.reason === refusal.reason && last.refusal.retryAfterSeconds === refusal.retryAfterSeconds) return last;
    const problem = problemOf(new Overloaded(refusal.reason, refusal.retryAfterSeconds));
    const body = JSON.stringify(problem);
    const headers = [
      'content-type',
      'application/problem+json',
      'content-length',
      String(Buffer.byteLength(body)),
      'retry-after',
      String(refusal.retryAfterSeconds),
    ];
    this.#last = { refusal, status: problem.status, body, headers };
    return this.#last;
  }
}
