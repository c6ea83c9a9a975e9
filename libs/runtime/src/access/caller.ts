import type { FastifyRequest } from 'fastify';
import type { Access } from '@palimpsest/knowledge/access';
import { Forbidden } from '@palimpsest/knowledge/errors';

/** A request after the API key guard. */
export type AuthenticatedRequest = FastifyRequest & { access?: Access; isStillKnown?: () => boolean };

/** The caller, and the correlation id of all events that the request causes. */
export type CallerContext = Readonly<{
  access: Access;
  correlationId: string;
  /** Whether the key is still valid; for long responses. */
  isStillKnown: () => boolean;
}>;

/** @throws Forbidden */
export const callerIn = (request: AuthenticatedRequest): CallerContext => {
  // Unreachable behind the guard. A route must never run without it.
  if (!request.access) throw new Forbidden('the route is not protected by the API key guard');
  return { access: request.access, correlationId: request.id, isStillKnown: request.isStillKnown ?? (() => false) };
};
