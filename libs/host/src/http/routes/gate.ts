import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { NotFound } from '@palimpsest/knowledge';
import { authenticate, lookUpKey, MethodNotAllowed, policyOf, type ApiKeys, type BodyKind } from '@palimpsest/runtime';
import { checkBody, countedBytes, type BodyRule } from '../bodies/body-rules.ts';
import { letBodyCome } from '../connection/http-server.ts';
import type { Doors } from '../overload/doors.ts';
import { isBodyless, kindOfWork } from '../overload/kind-of-work.ts';
import { holdPermit, Permit } from '../overload/permit.ts';
import { Refusals } from '../overload/refusals.ts';
import { cutOffSlowBody } from '../overload/slow-bodies.ts';

type Hooked = Pick<FastifyInstance, 'addHook'>;
type Bodies = Readonly<{ rules: Readonly<Record<BodyKind, BodyRule>>; /** Counted for a body of any length at most. */ mostBytes: number; /** For how long it may be on its way without any of it coming, milliseconds. */ bodyMs: number }>;

const refused = new WeakSet<IncomingMessage>();

/** For load, by a door. */
export const wasRefused = (request: IncomingMessage): boolean => refused.has(request);

/** On the route that the router matched, however its path was written, and before a byte of the body is read: who has no key gets nothing but that. */
export const askForKey = (fastify: Hooked, apiKeys: ApiKeys): void => {
  fastify.addHook('onRequest', async (request) => {
    if (policyOf(request).public === true) return;
    const { authorization } = request.headers;
    await lookUpKey(apiKeys, authorization);
    authenticate(apiKeys, authorization);
  });
};

/** What no route can answer is refused before its body is read, too. */
export const refuseUnreadable = (fastify: Hooked, rules: Bodies['rules']): void => {
  fastify.addHook('onRequest', async (request) => {
    const { allow, body = 'command' } = policyOf(request);
    if (request.is404) throw new NotFound('route', `${request.method} ${request.url.split('?', 1)[0] ?? ''}`);
    if (allow !== undefined) throw new MethodNotAllowed(request.method, allow);
    if (!isBodyless(request.method)) checkBody(request.headers, rules[body]);
  });
};

/** Hands on what the doors let in. What they refuse costs little: no body, no handler, nothing else of the hooks. */
export const askDoors = (fastify: Hooked, doors: Doors, { rules, mostBytes, bodyMs }: Bodies, refusals = new Refusals()): void => {
  fastify.addHook('onRequest', (request, reply, done) => {
    const policy = policyOf(request);
    const kind = kindOfWork(request.method, policy);
    const [incoming, outgoing]: [IncomingMessage, ServerResponse] = [request.raw, reply.raw];
    if (kind === undefined) {
      letBodyCome(incoming, outgoing);
      return done();
    }
    const bytes = isBodyless(request.method) ? 0 : countedBytes(request.headers, rules[policy.body ?? 'command'], mostBytes);
    const permit = new Permit();
    // A body that was read before the request waited is not counted again.
    holdPermit(incoming, permit, (enter, refuse) => doors.ask(kind, incoming.complete ? 0 : bytes, enter, refuse));
    permit.acquire(
      (enter, refuse) => doors.ask(kind, bytes, enter, refuse),
      () => {
        letBodyCome(incoming, outgoing);
        cutOffSlowBody(incoming, outgoing, kind, bodyMs);
        done();
      },
      (refusal) => {
        refused.add(incoming);
        reply.hijack();
        refusals.answer(incoming, outgoing, refusal);
      },
    );
    // One listener for both: a file that is sent has so many of others' that Node warns of a leak at one more.
    outgoing.once('close', () => permit.close());
  });
};
