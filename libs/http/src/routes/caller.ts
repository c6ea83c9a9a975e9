import type { FastifyRequest } from 'fastify';
import type { Access } from '@palimpsest/knowledge/access';
import type { Caller } from '@palimpsest/knowledge/messages';
import { Forbidden } from '@palimpsest/knowledge/errors';

/** A request after the API key guard. */
export type AuthenticatedRequest = FastifyRequest & { access?: Access; isStillKnown?: () => boolean };

/** Who sent a request. */
export type CallerContext = Readonly<{
  access: Access;
  /** For the messages that the handler sends. */
  caller: Caller;
  /** Whether the key is still valid; for long responses. */
  isStillKnown: () => boolean;
}>;

/** @throws Forbidden */
export const callerIn = (request: AuthenticatedRequest): CallerContext => {
  // Unreachable behind the guard. A route must never run without it.
  if (!request.access) throw new Forbidden('the route is not protected by the API key guard');
  const caller = { access: request.access, correlationId: request.id };
  return { access: request.access, caller, isStillKnown: request.isStillKnown ?? (() => false) };
};
