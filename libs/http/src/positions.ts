import type { FastifyInstance, FastifyRequest } from 'fastify';
import { position } from '@palimpsest/knowledge/values';
import type { Access } from '@palimpsest/knowledge/access';
import type { EventLog } from '@palimpsest/knowledge/ports';
import type { ReadModels } from '@palimpsest/knowledge/read-models';
import { PositionGate, type AtLeast } from './at-least/position-gate.ts';
import { withoutPermit } from './overload/permit.ts';

/** Position of the read models that were used for the response. A caller that sends it back gets nothing older. */
export const POSITION_HEADER = 'palimpsest-position';
export const AT_LEAST_HEADER = 'palimpsest-at-least';
/** The same field in the body of a search or context. */
const AT_LEAST_FIELD = 'atLeast';

type Parts = Readonly<{
  readModels: ReadModels;
  log: Pick<EventLog, 'head' | 'headMayLag'>;
  /** The caller of a request that has a valid key. */ callerOf: (request: FastifyRequest) => Access;
}>;

const isOfApi = (request: FastifyRequest): boolean => request.routeOptions.url?.startsWith('/v1/') === true;

/** Ignores an invalid position: the route validates the whole body and reports it. */
const inBody = (body: unknown): readonly AtLeast[] => {
  const raw = body !== null && typeof body === 'object' && AT_LEAST_FIELD in body ? body[AT_LEAST_FIELD] : undefined;
  return typeof raw === 'string' && /^(0|[1-9][0-9]{0,19})$/.test(raw)
    ? [{ field: AT_LEAST_FIELD, position: position(raw, AT_LEAST_FIELD) }]
    : [];
};

const inHeader = (raw: string | readonly string[] | undefined): readonly AtLeast[] =>
  raw === undefined ? [] : [{ field: AT_LEAST_HEADER, position: position(raw, AT_LEAST_HEADER) }];

/**
 * Read-your-writes across services and replicas: each response carries the position of the read models, and a request may ask for
 * a minimum position, from an earlier response or a write. A request that waits holds no permit, and waits only for positions
 * that are on the log.
 */
export const carryPositions = (fastify: Pick<FastifyInstance, 'addHook'>, { readModels, log, callerOf }: Parts): void => {
  const gate = new PositionGate(readModels, log);
  fastify.addHook('preHandler', async (request, reply) => {
    if (!isOfApi(request)) return;
    const ahead = [...inHeader(request.headers[AT_LEAST_HEADER]), ...inBody(request.body)].filter((asked) => !gate.isOpen(asked));
    if (ahead.length === 0) return;
    const { tenant } = callerOf(request);
    const caller = new AbortController();
    reply.raw.once('close', () => caller.abort());
    await withoutPermit(request.raw, async () => {
      for (const asked of ahead) await gate.pass(tenant, asked, caller.signal);
    });
  });
  fastify.addHook('onSend', async (request, reply) => {
    // A caller without a key learns nothing about activity on this server.
    if (isOfApi(request) && reply.statusCode !== 401) void reply.header(POSITION_HEADER, String(readModels.position()));
  });
};
