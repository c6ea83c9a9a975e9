import type { FastifyInstance, FastifyRequest } from 'fastify';
import { position } from '@palimpsest/knowledge';
import type { Access, EventLog, ReadModels } from '@palimpsest/knowledge';
import { PositionGate, type AtLeast } from './at-least/position-gate.ts';
import { withoutPermit } from './overload/permit.ts';

/** How far the read models were that answered; a caller that sends it back sees nothing older. */
export const POSITION_HEADER = 'palimpsest-position';
export const AT_LEAST_HEADER = 'palimpsest-at-least';
/** The same in the body of a search or a context. */
const AT_LEAST_FIELD = 'atLeast';

type Parts = Readonly<{ readModels: ReadModels; log: Pick<EventLog, 'head' | 'headMayLag'>; /** Who makes a request; it has a valid key by then. */ callerOf: (request: FastifyRequest) => Access }>;

const isOfApi = (request: FastifyRequest): boolean => request.routeOptions.url?.startsWith('/v1/') === true;

/** What is no position at all is left to the route, which names what is wrong with the whole body. */
const inBody = (body: unknown): readonly AtLeast[] => {
  const raw = body !== null && typeof body === 'object' && AT_LEAST_FIELD in body ? body[AT_LEAST_FIELD] : undefined;
  return typeof raw === 'string' && /^(0|[1-9][0-9]{0,19})$/.test(raw) ? [{ field: AT_LEAST_FIELD, position: position(raw, AT_LEAST_FIELD) }] : [];
};

const inHeader = (raw: string | readonly string[] | undefined): readonly AtLeast[] =>
  raw === undefined ? [] : [{ field: AT_LEAST_HEADER, position: position(raw, AT_LEAST_HEADER) }];

/**
 * Read-your-writes across services and replicas: each answer says from which position of the read models it was made, and a
 * request may ask for at least a position, an earlier answer's or that of a write. A request that waits holds no place that
 * another one could use, and waits only for what is on the log.
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
    // A caller without a key learns nothing about what happens here.
    if (isOfApi(request) && reply.statusCode !== 401) void reply.header(POSITION_HEADER, String(readModels.position()));
  });
};
