import type { FastifyInstance, HTTPMethods, RouteOptions } from 'fastify';
import { MethodNotAllowed } from '../problems/http-errors.ts';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'];

type Known = Readonly<{ first: RouteOptions; methods: Set<string> }>;

/**
 * Records the routes that are registered from now on. Returns a function that completes them: it adds a route for each unsupported
 * method of a path, which responds with the supported methods. The router itself matches them, so paths are parsed in one place only.
 */
export const rememberRoutes = (fastify: FastifyInstance): (() => void) => {
  const known = new Map<string, Known>();
  let isComplete = false;
  fastify.addHook('onRoute', (added: RouteOptions) => {
    if (isComplete) return;
    const route = known.get(added.url) ?? { first: added, methods: new Set() };
    known.set(added.url, route);
    for (const each of [added.method].flat()) route.methods.add(each);
    if (route.methods.has('GET')) route.methods.add('HEAD');
  });
  return () => {
    isComplete = true;
    for (const [url, { first, methods }] of known) {
      const isPublic = first.config?.policy?.public === true;
      const others = METHODS.filter((method) => !methods.has(method));
      const allow = METHODS.filter((method) => methods.has(method));
      if (others.length === 0) continue;
      const refuse = (request: Readonly<{ method: string }>): never => {
        throw new MethodNotAllowed(request.method, allow);
      };
      fastify.route({
        url,
        method: [...others],
        handler: refuse,
        exposeHeadRoute: false,
        config: { policy: { ...(isPublic ? { public: true } : {}), work: 'none', allow } },
      });
    }
  };
};
