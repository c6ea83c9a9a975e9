import type { ProblemCode } from './problems.ts';
import type { RouteContract } from './route.ts';

/** As problem reports, examples and metrics name it: `GET /v1/documents/{id}`. */
export const nameOf = ({ method, path }: Pick<RouteContract, 'method' | 'path'>): string => `${method.toUpperCase()} ${path}`;

/** In the notation of the router: `/v1/documents/:id`. */
export const routerPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

const SAFE: readonly RouteContract['method'][] = ['get', 'put', 'delete'];

export const isIdempotent = ({ method, idempotent }: RouteContract): boolean => idempotent ?? SAFE.includes(method);

/** The media types that a route reads. A route without a body of its own ignores a small JSON body. */
export const mediaTypesOf = ({ body }: RouteContract): readonly string[] => {
  if (body?.kind === 'lines') return ['application/x-ndjson'];
  return body?.kind === 'documents' ? ['application/json', 'multipart/form-data'] : ['application/json'];
};

/** Codes of requests that are refused before routing. */
const BEFORE_ROUTING: readonly ProblemCode[] = ['InvalidValue', 'MisdirectedRequest', 'HeadersTooLarge'];

/** Codes of every request that may have a body, even if the route does not read it. */
const BODY: readonly ProblemCode[] = ['TooLarge', 'UnsupportedMediaType'];

/** The problem codes that a route can return. */
export const problemCodesOf = ({ method, path, rate, problems = [], ...contract }: RouteContract): readonly ProblemCode[] => {
  if (contract.public === true) return [...new Set([...BEFORE_ROUTING, ...problems])];
  return [
    ...new Set<ProblemCode>([
      ...BEFORE_ROUTING,
      'Unauthenticated',
      'Forbidden',
      ...(path.includes('{') ? (['NotFound'] as const) : []),
      ...problems,
      ...(rate === undefined ? [] : (['RateLimited'] as const)),
      // Nothing can be written to an erased scope.
      ...(rate === 'writes' ? (['ScopeKeyDestroyed'] as const) : []),
      ...(method === 'get' ? [] : BODY),
      // Every request may ask for a minimum position.
      'NotCaughtUp',
      'Overloaded',
      'Unavailable',
      'Corrupt',
      'Internal',
    ]),
  ];
};
