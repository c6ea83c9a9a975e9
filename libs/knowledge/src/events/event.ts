import type { Position } from '../values/position.ts';
import type { StreamName } from '../ports/event-log.ts';
import type { TenantId } from '../values/tenant.ts';
import type { VectorScope } from '../values/scope.ts';

/** A past-tense fact. Its `type` and `data` are a wire contract for ever. */
export type Event<Type extends string, Data> = Readonly<{ type: Type; data: Readonly<Data> }>;

/** What is said about every fact, beside it. */
export type EventMetadata = Readonly<{
  tenant: TenantId;
  /** Absent for facts that belong to the tenant as a whole. */
  scope?: VectorScope;
  /** Who caused it: a key's id, or the name of a worker. */
  actor: string;
  /** The event or request that led to this one. */
  causationId?: string;
  /** One for everything that a request led to. */
  correlationId: string;
  /** W3C trace context. */
  traceparent?: string;
}>;

/** A domain event where it lies on the log. */
export type Fact<E extends Event<string, unknown>> = Readonly<{
  event: E;
  id: string;
  metadata: EventMetadata;
  stream: StreamName;
  revision: number;
  position: Position;
  recordedAt: string;
}>;
