import type { Position } from '../values/position.ts';
import type { StreamName } from '../ports/event-log.ts';
import type { SubjectKey } from '../values/subject.ts';
import type { TenantId } from '../values/tenant.ts';
import type { VectorScope } from '../values/scope.ts';

/** Something that happened. `type` and `data` are a permanent wire contract. */
export type Event<Type extends string, Data> = Readonly<{ type: Type; data: Readonly<Data> }>;

/** Metadata that is stored with every event. */
export type EventMetadata = Readonly<{
  tenant: TenantId;
  /** Absent for events that concern the whole tenant. */
  scope?: VectorScope;
  /** The key of the data subject whom the document is about, if there is one. All events of a stream have the same. */
  subject?: SubjectKey;
  /** Who caused the event: the id of an API key, or the name of a worker. */
  actor: string;
  /** Id of the event or request that caused this event. */
  causationId?: string;
  /** Shared by all events that a request caused. */
  correlationId: string;
  /** W3C trace context. */
  traceparent?: string;
}>;

/** A domain event read from the log, with its position and metadata. */
export type Fact<E extends Event<string, unknown>> = Readonly<{
  event: E;
  id: string;
  metadata: EventMetadata;
  stream: StreamName;
  revision: number;
  position: Position;
  recordedAt: string;
}>;
