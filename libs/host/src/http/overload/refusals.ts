import type { IncomingMessage, ServerResponse } from 'node:http';
import { Overloaded } from '@palimpsest/knowledge';
import { problemOf } from '@palimpsest/runtime';
import type { Refusal } from './door.ts';
import { RefusedConnections } from './refused-connections.ts';
import { requestIdOf } from '../request-id.ts';

type Told = Readonly<{ refusal: Refusal; status: number; body: string; headers: readonly string[] }>;

/** Answers who is refused without any of what a request otherwise goes through: what refusing costs is taken from what is done for others. */
export class Refusals {
  readonly #connections: RefusedConnections;
  readonly #now: () => number;
  /** The problem of the refusal before, which most are alike: to make an error and its text takes longer than to send it. */
  #told: Told | undefined;

  constructor(connections = new RefusedConnections(), now: () => number = () => performance.now()) {
    this.#connections = connections;
    this.#now = now;
  }

  answer(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
    if (response.destroyed || response.headersSent) return;
    const began = this.#now();
    const { status, headers, body } = this.#toldOf(refusal);
    response.writeHead(status, [...headers, 'x-request-id', requestIdOf(request)]);
    let tookMs = 0;
    // Node reads what may be left of the request first.
    response.end(body, () => void setImmediate(() => this.#connections.rest(request.socket, tookMs)));
    tookMs = this.#now() - began;
  }

  #toldOf(refusal: Refusal): Told {
    const before = this.#told;
    if (before?.refusal.reason === refusal.reason && before.refusal.retryAfterSeconds === refusal.retryAfterSeconds) return before;
    const problem = problemOf(new Overloaded(refusal.reason, refusal.retryAfterSeconds));
    const body = JSON.stringify(problem);
    const headers = ['content-type', 'application/problem+json', 'content-length', String(Buffer.byteLength(body)), 'retry-after', String(refusal.retryAfterSeconds)];
    this.#told = { refusal, status: problem.status, body, headers };
    return this.#told;
  }
}
