import type { FastifyInstance, RouteOptions } from 'fastify';
import { ROUTES } from '@palimpsest/contracts/http';

/** Refuses to start with a route of the API that the OpenAPI document would not contain. */
export const requireContracts = (fastify: Pick<FastifyInstance, 'addHook'>): void => {
  fastify.addHook('onRoute', ({ url, config }: RouteOptions) => {
    if (!url.startsWith('/v1/') || config?.policy?.allow !== undefined) return;
    if (config?.contract === undefined || !ROUTES.includes(config.contract))
      throw new Error(`the route ${url} has no contract in libs/contracts/src/http/routes.ts`);
  });
};
