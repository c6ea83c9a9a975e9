import 'reflect-metadata';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';

/** Kind of request body: a small JSON command, a large one, documents (JSON or a form), or streamed lines of JSON. */
export type BodyKind = 'command' | 'large-command' | 'documents' | 'lines';

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
    policy?: RoutePolicy;
  }
}

/** Sets the policy of a route. Several decorators are merged. */
export const Policy = (policy: RoutePolicy): MethodDecorator => (target, name, descriptor) => {
  const handler = descriptor.value as object;
  const before = (Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) ?? {}) as Readonly<{ policy?: RoutePolicy }>;
  RouteConfig({ ...before, policy: { ...before.policy, ...policy } })(target, name, descriptor);
};

/** A route that requires no API key. */
export const Public = (): MethodDecorator => Policy({ public: true });

type Routed = Readonly<{ routeOptions: Readonly<{ config: Readonly<{ policy?: RoutePolicy }> }> }>;

/** The policy of the matched route. Without a match, nothing is public. */
export const policyOf = ({ routeOptions }: Routed): RoutePolicy => routeOptions.config.policy ?? {};
