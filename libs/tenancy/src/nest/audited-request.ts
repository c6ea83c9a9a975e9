import type { FastifyReply, FastifyRequest } from 'fastify';
import { SYSTEM, timestamp } from '@palimpsest/foundation';
import type { Access } from '@palimpsest/knowledge/access';
import type { AuditedRequest } from '../audit/entry-batch.ts';
import type { AnsweredProblem } from '@palimpsest/http';

/** Pattern of an id. Any other value in the field of an id is not recorded. */
const ID = /^[A-Za-z0-9*][A-Za-z0-9._:@*-]{0,199}$/;
const UNREADABLE = '(not an id)';
const MAX_TARGETS = 20;
const MAX_REASON = 500;
/** Fields of queries and bodies that hold ids and nothing else. */
const ID_FIELDS = ['tenant', 'knowledgeBase', 'knowledgeBases', 'scope', 'scopes', 'document'] as const;

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);
const named = (from: unknown): readonly unknown[] =>
  from !== null && typeof from === 'object' ? ID_FIELDS.flatMap((field) => listed((from as Record<string, unknown>)[field])) : [];

/** The ids in the path, query and body of a request. */
export const targetsOf = ({ params, query, body }: Pick<FastifyRequest, 'params' | 'query' | 'body'>): readonly string[] => {
  const given = [...Object.values((params ?? {}) as Record<string, unknown>), ...named(query), ...named(body)].slice(0, MAX_TARGETS);
  return [...new Set(given.map((raw) => (typeof raw === 'string' && ID.test(raw) ? raw : UNREADABLE)))];
};

/** Each of the `trustedProxies` in front of this process added the address that it saw to the end of `X-Forwarded-For`. */
export const addressOf = (
  { headers, socket }: Readonly<{ headers: FastifyRequest['headers']; socket: Readonly<{ remoteAddress?: string }> }>,
  trustedProxies: number,
): string | undefined => {
  const forwarded = listed(headers['x-forwarded-for'])
    .join(',')
    .split(',')
    .map((part) => part.trim());
  const forwardedAddress = trustedProxies === 0 ? undefined : forwarded.at(-trustedProxies);
  return forwardedAddress !== undefined && /^[0-9A-Fa-f.:]{2,45}$/.test(forwardedAddress)
    ? forwardedAddress
    : socket.remoteAddress?.replace(/^::ffff:/, '');
};

/** Why a caller forced a step: the `reason` next to `force` of an accepted request. Nothing else of a body is recorded. */
export const forcedBecause = (body: unknown, status: number): string | undefined => {
  const { force, reason } = (body ?? {}) as Readonly<{ force?: unknown; reason?: unknown }>;
  return status < 400 && force === true && typeof reason === 'string' ? reason.slice(0, MAX_REASON) : undefined;
};

/** The audit entry of a request. It holds no contents of the request or the response. */
export const auditedRequest = (
  request: FastifyRequest,
  reply: FastifyReply,
  access: Access | undefined,
  trustedProxies: number,
): AuditedRequest => {
  const { problemCode } = request as AnsweredProblem;
  const forced = forcedBecause(request.body, reply.statusCode);
  const from = addressOf(request as Parameters<typeof addressOf>[0], trustedProxies);
  return {
    actor: access?.actor ?? 'anonymous',
    ...(access?.user === undefined ? {} : { user: access.user }),
    ...(access === undefined || access.teams.length === 0 ? {} : { teams: access.teams }),
    method: request.method,
    operation: request.routeOptions.url ?? '(no route)',
    // Values from a caller without a key are not recorded.
    targets: access === undefined ? [] : targetsOf(request),
    status: reply.statusCode,
    ...(problemCode === undefined ? {} : { problem: problemCode }),
    ...(forced === undefined ? {} : { forcedBecause: forced }),
    at: timestamp(SYSTEM.clock),
    ...(from === undefined ? {} : { from }),
    requestId: request.id,
  };
};
