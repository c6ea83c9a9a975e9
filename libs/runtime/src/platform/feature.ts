import type { Type } from '@nestjs/common';
import type { UseCase } from '@palimpsest/knowledge/messages';

/** Something that runs as long as the process. */
export type Task = Readonly<{ start: () => Promise<void> | void; stop: () => Promise<void> | void }>;

/** Use cases by name. Each is an object of a class, under which a controller asks for it. */
export type UseCases = Readonly<Record<string, object>>;

/** What a process runs of a feature. */
export type FeatureParts<Commands extends UseCases = UseCases, Queries extends UseCases = UseCases> = Readonly<{
  /** Use cases that change something. */
  commands: Commands;
  /** Use cases that only read. */
  queries: Queries;
  /** Use cases whose messages the bus sends. */
  useCases?: readonly UseCase[];
  /** Other objects that the controllers need. */
  shared?: readonly object[];
  /** Projections that follow the log. Requests may wait for them, so they run until the last request is answered. */
  followers?: readonly Task[];
  /** Workers on the bus, and periodic work. */
  consumers?: readonly Task[];
  /** Controllers of the routes. */
  routes: readonly Type[];
}>;

/** A part of the product: it says which ports it needs, and makes its use cases, its background work and its routes of them. */
export type Feature<Ports, Commands extends UseCases = UseCases, Queries extends UseCases = UseCases> = Readonly<{
  name: string;
  open: (ports: Ports) => FeatureParts<Commands, Queries>;
}>;

/** Checks a feature against its type, and keeps the names of its commands and queries. */
export const feature = <Ports, Commands extends UseCases, Queries extends UseCases>(
  name: string,
  open: (ports: Ports) => FeatureParts<Commands, Queries>,
): Feature<Ports, Commands, Queries> => ({ name, open });
