import type { Event } from './event.ts';

/** The projections of the log: each reads some event types, and no others are delivered to it. */
export type ProjectionName =
  | 'catalog'
  | 'indexes'
  | 'generations'
  | 'relay'
  | 'event-views'
  | 'document-list'
  | 'api-keys'
  | 'tenant-limits'
  | 'retrievals-today'
  | 'models'
  | 'canaries'
  | 'canary-comparison'
  | 'fleets'
  | 'swap-figures'
  | 'search-times'
  | 'erasures'
  | 'history-removals';

/** For each event type of a family, the projections that read it. A new event type does not compile until it names them. */
export type ReadersOf<E extends Event<string, unknown>> = Readonly<Record<E['type'], readonly ProjectionName[]>>;
