import type { FastifyInstance } from 'fastify';
import { NotCaughtUp, position } from '@palimpsest/knowledge';
import type { ReadModels } from '@palimpsest/knowledge';

/** How far the read models were that answered; a caller that sends it back sees nothing older. */
export const POSITION_HEADER = 'palimpsest-position';
export const AT_LEAST_HEADER = 'palimpsest-at-least';
const PATIENCE_MS = 10_000;

/**
 * Read-your-writes across services and replicas: each answer tells the position of the read models that it was made from, and
 * a request may ask for at least a position, an earlier answer's or that of a write.
 */
export const carryPositions = (fastify: Pick<FastifyInstance, 'addHook'>, readModels: ReadModels): void => {
  fastify.addHook('preHandler', async (request) => {
    const asked = request.headers[AT_LEAST_HEADER];
    if (asked === undefined || request.routeOptions.url?.startsWith('/v1/') !== true) return;
    const atLeast = position(asked, AT_LEAST_HEADER);
    if (!(await readModels.reached(atLeast, PATIENCE_MS))) throw new NotCaughtUp(`the read models are at position ${readModels.position()}, not at ${atLeast} yet`);
  });
  fastify.addHook('onSend', async (request, reply) => {
    // Whoever has no key learns nothing about what happens here.
    if (request.routeOptions.url?.startsWith('/v1/') === true && reply.statusCode !== 401) void reply.header(POSITION_HEADER, String(readModels.position()));
  });
};
