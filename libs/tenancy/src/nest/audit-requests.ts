import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '@palimpsest/knowledge/access';
import { tenantId, type TenantId } from '@palimpsest/knowledge/values';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { auditedRequest } from './audited-request.ts';

type Parts = Readonly<{ trail: AuditTrail; callerOf: (request: FastifyRequest) => Access | undefined; trustedProxies: number }>;

/** Whether the entry of a request that succeeds must be on the log before its response. */
const isAdministration = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.contract?.administration === true;

const isDone = ({ statusCode }: FastifyReply): boolean => statusCode < 400;
const routeOf = ({ routeOptions }: FastifyRequest): string => routeOptions.url ?? '';

/** The tenant whose keys, limits or read models an operator changed, if it is not the caller's own. */
const otherTenantOf = ({ params, body }: FastifyRequest, own: TenantId): TenantId | undefined => {
  const [{ tenant: inPath }, { tenant: inBody }] = [(params ?? {}) as Record<string, unknown>, (body ?? {}) as Record<string, unknown>];
  const named = inPath ?? inBody;
  return typeof named === 'string' && named !== own ? tenantId(named) : undefined;
};

/**
 * Records every request to the API. Administrative changes are on the log before the response is sent; reads, writes and refused
 * requests are recorded after the response.
 */
export const auditRequests = (fastify: Pick<FastifyInstance, 'addHook'>, { trail, callerOf, trustedProxies }: Parts): void => {
  fastify.addHook('onSend', async (request, reply) => {
    if (!isAdministration(request) || !isDone(reply)) return;
    const access = callerOf(request);
    if (access === undefined) return;
    const entry = auditedRequest(request, reply, access, trustedProxies);
    const other = otherTenantOf(request, access.tenant);
    // The other tenant sees the change and the key that made it, but not the caller's address, teams and user.
    const { from: _from, teams: _teams, user: _user, ...shown } = entry;
    await Promise.all([trail.change(access.tenant, entry), ...(other === undefined ? [] : [trail.change(other, shown)])]);
  });
  fastify.addHook('onResponse', async (request, reply) => {
    const route = routeOf(request);
    const access = callerOf(request);
    if (access === undefined) {
      if (reply.statusCode === 401) trail.denied(auditedRequest(request, reply, undefined, trustedProxies));
      return;
    }
    if (!route.startsWith('/v1/') || (isAdministration(request) && isDone(reply))) return;
    trail.read(access.tenant, auditedRequest(request, reply, access, trustedProxies));
  });
  fastify.addHook('onClose', () => trail.stop());
};
