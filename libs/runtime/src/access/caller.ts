import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Forbidden, type Access } from '@palimpsest/knowledge';

/** What the guard leaves on a request. */
export type AuthenticatedRequest = FastifyRequest & { access?: Access; isStillKnown?: () => boolean };

/** Who is calling, and the id under which everything that follows from the request is recorded. */
export type CallerContext = Readonly<{
  access: Access;
  correlationId: string;
  /** Whether the key is still one: for answers that take long. */
  isStillKnown: () => boolean;
}>;

/** The parameter `@Caller() caller: CallerContext` of a route. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): CallerContext => {
  const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
  // Unreachable behind the guard; without it a route must not run at all.
  if (!request.access) throw new Forbidden('the route is not behind the guard');
  return { access: request.access, correlationId: request.id, isStillKnown: request.isStillKnown ?? (() => false) };
});
