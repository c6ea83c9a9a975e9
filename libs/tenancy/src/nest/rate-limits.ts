import type { FastifyInstance } from 'fastify';
import type { AuthenticatedRequest } from '@palimpsest/http';
import type { CountedIn, TenantQuotaPolicy } from '../limits/tenant-quota-policy.ts';

/** Structured fields of draft-ietf-httpapi-ratelimit-headers: `q` requests in `w` seconds; `r` of them left for the next `t` seconds. */
export const rateLimitHeaders = (counted: readonly CountedIn[]): Readonly<{ 'ratelimit-policy': string; ratelimit: string }> => ({
  'ratelimit-policy': counted.map(({ policy, limit, windowSeconds }) => `"${policy}";q=${limit};w=${windowSeconds}`).join(', '),
  ratelimit: counted.map(({ policy, remaining, resetSeconds }) => `"${policy}";r=${remaining};t=${resetSeconds}`).join(', '),
});

/** Adds the remaining requests of the caller's rate limits to each response. */
export const carryRateLimits = (fastify: Pick<FastifyInstance, 'addHook'>, quotaPolicy: TenantQuotaPolicy): void => {
  fastify.addHook('onSend', async (request, reply) => {
    const { access } = request as AuthenticatedRequest;
    const counted = access ? quotaPolicy.countedIn(access) : [];
    if (counted.length > 0) void reply.headers(rateLimitHeaders(counted));
  });
};
