import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { BodyKind } from '@palimpsest/contracts/http';
import { NotFound } from '@palimpsest/knowledge/errors';
import { MethodNotAllowed } from '../problems/http-errors.ts';
import { policyOf } from './route-policy.ts';
import { checkBody, countedBytes, type BodyRule } from '../bodies/body-rules.ts';
import { sendContinue } from '../connection/http-server.ts';
import type { LoadShedder } from '../overload/load-shedder.ts';
import { isBodyless, kindOfWork } from '../overload/kind-of-work.ts';
import { holdPermit, Permit } from '../overload/permit.ts';
import { Refusals } from '../overload/refusals.ts';
import { cutOffSlowBody } from '../overload/slow-bodies.ts';

type Hooked = Pick<FastifyInstance, 'addHook'>;
type Bodies = Readonly<{
  rules: Readonly<Record<BodyKind, BodyRule>>;
  /** The most that a body of unknown length counts. */ maxBytes: number;
  /** Time in milliseconds after which a body that sends no more data is ended. */ bodyMs: number;
}>;

const refused = new WeakSet<IncomingMessage>();

/** Whether the load shedder refused the request. */
export const wasRefused = (request: IncomingMessage): boolean => refused.has(request);

/** Refuses unknown routes, unsupported methods and unsupported bodies before the body is read. */
export const refuseUnreadable = (fastify: Hooked, rules: Bodies['rules']): void => {
  fastify.addHook('onRequest', async (request) => {
    const { allow, body = 'command' } = policyOf(request);
    if (request.is404) throw new NotFound('route', `${request.method} ${request.url.split('?', 1)[0] ?? ''}`);
    if (allow !== undefined) throw new MethodNotAllowed(request.method, allow);
    if (!isBodyless(request.method)) checkBody(request.headers, rules[body]);
  });
};

/**
 * Passes on the requests that the load shedder admits. A refused request costs little: its body is not read, and no handler or other hook
 * runs.
 */
export const shedLoad = (
  fastify: Hooked,
  loadShedder: LoadShedder,
  { rules, maxBytes, bodyMs }: Bodies,
  refusals = new Refusals(),
): void => {
  fastify.addHook('onRequest', (request, reply, done) => {
    const policy = policyOf(request);
    const kind = kindOfWork(request.method, policy);
    const [incoming, outgoing]: [IncomingMessage, ServerResponse] = [request.raw, reply.raw];
    if (kind === undefined) {
      sendContinue(incoming, outgoing);
      return done();
    }
    const bytes = isBodyless(request.method) ? 0 : countedBytes(request.headers, rules[policy.body ?? 'command'], maxBytes);
    const permit = new Permit();
    // When the permit is reacquired, a body that was already read does not count again.
    holdPermit(incoming, permit, (admit, refuse) => loadShedder.acquire(kind, incoming.complete ? 0 : bytes, admit, refuse));
    permit.acquire(
      (admit, refuse) => loadShedder.acquire(kind, bytes, admit, refuse),
      () => {
        sendContinue(incoming, outgoing);
        cutOffSlowBody(incoming, outgoing, kind, bodyMs);
        done();
      },
      (refusal) => {
        refused.add(incoming);
        reply.hijack();
        refusals.answer(incoming, outgoing, refusal);
      },
    );
    // One listener for both: a response that sends a file has many listeners already, and Node would warn about a leak at one more.
    outgoing.once('close', () => permit.close());
  });
};
