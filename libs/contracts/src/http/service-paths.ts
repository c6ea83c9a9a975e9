import type { Service } from './route.ts';
import { ROUTES } from './routes.ts';

/** A part of the API that one service serves, as gateways and ingresses route it. */
export type ServicePath = Readonly<{
  /** The first two parts of the paths: `/v1/documents`. */
  prefix: string;
  service: Service;
  /** Whether the prefix itself is a path. */
  itself: boolean;
  /** Whether there are paths below the prefix. */
  below: boolean;
  /** Whether a public ingress must not serve it. */
  internal: boolean;
}>;

const prefixOf = (path: string): string => path.split('/').slice(0, 3).join('/');

/** Each prefix once, in the order of the routes. Paths that every service has are not among them. @throws if two services share one */
export const servicePaths = (routes = ROUTES): readonly ServicePath[] =>
  [
    ...Map.groupBy(
      routes.filter(({ service }) => service !== 'every'),
      ({ path }) => prefixOf(path),
    ),
  ].map(([prefix, same]) => {
    const [service, ...others] = new Set(same.map((contract) => contract.service));
    const internal = same.filter((contract) => contract.internal === true).length;
    if (service === undefined || service === 'every' || others.length > 0)
      throw new Error(`${prefix} belongs to more than one service, so no gateway can route it`);
    if (internal > 0 && internal < same.length) throw new Error(`${prefix} is internal in part, so no ingress can route it`);
    return {
      prefix,
      service,
      itself: same.some(({ path }) => path === prefix),
      below: same.some(({ path }) => path !== prefix),
      internal: internal > 0,
    };
  });
