import 'reflect-metadata';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';

/** What a body may be: a small JSON command, a large one, documents (JSON or a form), or lines of JSON that are read as they arrive. */
export type BodyKind = 'command' | 'large-command' | 'documents' | 'lines';

/** What has to be known of a route before anything of its request is read. A route without one is private and takes a small JSON body. */
export type RoutePolicy = Readonly<{
  /** Needs no key. */
  public?: boolean;
  /** What it costs most of, where the method does not say it; `none` is never refused for load. */
  work?: 'search' | 'none';
  body?: BodyKind;
  /** The methods of a path, on the routes that only say so. */
  allow?: readonly string[];
}>;

declare module 'fastify' {
  interface FastifyContextConfig {
    policy?: RoutePolicy;
  }
}

/** Sets the policy of a controller's route; several add up. */
export const Policy = (policy: RoutePolicy): MethodDecorator => (target, name, descriptor) => {
  const handler = descriptor.value as object;
  const before = (Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) ?? {}) as Readonly<{ policy?: RoutePolicy }>;
  RouteConfig({ ...before, policy: { ...before.policy, ...policy } })(target, name, descriptor);
};

/** A route that needs no key. */
export const Public = (): MethodDecorator => Policy({ public: true });

type Routed = Readonly<{ routeOptions: Readonly<{ config: Readonly<{ policy?: RoutePolicy }> }> }>;

/** Of the route that the router matched. Where none was matched, nothing is public. */
export const policyOf = ({ routeOptions }: Routed): RoutePolicy => routeOptions.config.policy ?? {};
