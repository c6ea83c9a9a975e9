import type { Type } from '@nestjs/common';
import type { UseCase } from '@palimpsest/knowledge/messages';

/** Reports an error outside of requests. `about`: what was being done. */
export type OnFault = (error: unknown, about: string) => void;

/** Current time, ISO 8601 in UTC. */
export type Now = () => string;

/** Something that runs as long as the process. */
export type Task = Readonly<{ start: () => Promise<void> | void; stop: () => Promise<void> | void }>;

/** Objects by name. */
export type Offers = Readonly<Record<string, object>>;

/** What a process runs of a feature. */
export type FeatureParts<Offered extends Offers = Offers> = Readonly<{
  /** What handles the commands and queries of the feature. */
  useCases?: readonly UseCase[];
  /** What the process itself reads of the feature, for example for metrics. */
  offers?: Offered;
  /** Objects that the controllers need in addition to the buses, each by its class. */
  shared?: readonly object[];
  /** Projections that follow the log. Requests may wait for them, so they run until the last request is answered. */
  followers?: readonly Task[];
  /** Workers on the bus, and periodic work. */
  consumers?: readonly Task[];
  /** Controllers of the routes. They translate between HTTP and messages. */
  routes: readonly Type[];
}>;

/** A part of the product: it says which ports it needs, and makes its use cases, its background work and its routes of them. */
export type Feature<Ports, Offered extends Offers = Offers> = Readonly<{
  name: string;
  open: (ports: Ports) => FeatureParts<Offered>;
}>;

/** Checks a feature against its type, and keeps the names of what it offers. */
export const feature = <Ports, Offered extends Offers = Readonly<Record<never, never>>>(
  name: string,
  open: (ports: Ports) => FeatureParts<Offered>,
): Feature<Ports, Offered> => ({ name, open });
