import type { FastifyInstance } from 'fastify';
import type { AuthenticatedRequest, CountedIn, TenantAdmission } from '@palimpsest/runtime';

/** Structured fields of draft-ietf-httpapi-ratelimit-headers: `q` requests in `w` seconds; `r` of them left for the next `t` seconds. */
export const rateLimitHeaders = (counted: readonly CountedIn[]): Readonly<{ 'ratelimit-policy': string; ratelimit: string }> => ({
  'ratelimit-policy': counted.map(({ policy, limit, windowSeconds }) => `"${policy}";q=${limit};w=${windowSeconds}`).join(', '),
  ratelimit: counted.map(({ policy, remaining, resetSeconds }) => `"${policy}";r=${remaining};t=${resetSeconds}`).join(', '),
});

/** Each answer tells its caller what of its rates is left, where it has any. */
export const carryRateLimits = (fastify: Pick<FastifyInstance, 'addHook'>, admission: TenantAdmission): void => {
  fastify.addHook('onSend', async (request, reply) => {
    const { access } = request as AuthenticatedRequest;
    const counted = access ? admission.countedIn(access) : [];
    if (counted.length > 0) void reply.headers(rateLimitHeaders(counted));
  });
};
