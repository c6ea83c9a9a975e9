import type { BodyKind, RouteContract } from '@palimpsest/contracts/http';

/** Properties of a route that apply before its request is read. A route without a policy requires a key and takes a small JSON body. */
export type RoutePolicy = Readonly<{
  /** Requires no API key. */
  public?: boolean;
  /** Kind of work for the load shedder, if it does not follow from the method. `none` is never refused under load. */
  work?: 'search' | 'none';
  body?: BodyKind;
  /** The allowed methods of a path, for routes that only return `MethodNotAllowed`. */
  allow?: readonly string[];
}>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Missing for routes that are not part of the API, such as the console's files. */
    contract?: RouteContract;
    policy?: RoutePolicy;
  }
}

type Routed = Readonly<{ routeOptions: Readonly<{ config: Readonly<{ policy?: RoutePolicy }> }> }>;

/** The policy of the matched route. Without a match, nothing is public. */
export const policyOf = ({ routeOptions }: Routed): RoutePolicy => routeOptions.config.policy ?? {};

export const policyFor = ({ public: isPublic, work, body }: RouteContract): RoutePolicy => ({
  ...(isPublic === undefined ? {} : { public: isPublic }),
  ...(work === undefined ? {} : { work }),
  ...(body === undefined ? {} : { body: body.kind }),
});
