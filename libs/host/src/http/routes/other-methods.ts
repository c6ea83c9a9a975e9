import type { FastifyInstance, HTTPMethods, RouteOptions } from 'fastify';
import { MethodNotAllowed } from '@palimpsest/runtime';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'];

type Known = Readonly<{ first: RouteOptions; methods: Set<string> }>;

/**
 * Remembers the routes that are made from now on. Gives back what completes them: each path then has all methods, and those that it
 * does not offer say which ones it does. The router itself finds them, so there is no second opinion on what a path is.
 */
export const rememberRoutes = (fastify: FastifyInstance): (() => void) => {
  const known = new Map<string, Known>();
  let isComplete = false;
  fastify.addHook('onRoute', (made: RouteOptions) => {
    if (isComplete) return;
    const route = known.get(made.url) ?? { first: made, methods: new Set() };
    known.set(made.url, route);
    for (const each of [made.method].flat()) route.methods.add(each);
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
      fastify.route({ url, method: [...others], handler: refuse, exposeHeadRoute: false, config: { policy: { ...(isPublic ? { public: true } : {}), work: 'none', allow } } });
    }
  };
};
