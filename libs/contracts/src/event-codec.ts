import type { z } from 'zod';
import { Corrupt, tenantId, vectorScope } from '@palimpsest/knowledge';
import type { Event, EventMetadata, Fact, JsonObject, NewEvent, RecordedEvent } from '@palimpsest/knowledge';

/** Turns the data of one schema version into that of the next. Pure, total, and kept for ever. */
export type Upcaster = (data: JsonObject) => JsonObject;

/** One event type on the wire: `upcasters[i]` leads from version i + 1 to i + 2, so the current version is their number + 1. */
export type WireEvent<Data> = Readonly<{ schema: z.ZodType<Data>; upcasters?: readonly Upcaster[] }>;

export type WireEvents<E extends Event<string, unknown>> = { readonly [Type in E['type']]: WireEvent<Extract<E, { type: Type }>['data']> };

/** What was read is not what the contract says: the log was written by something else, or by a newer version. */
export class UnreadableEvent extends Corrupt {}

/** Domain events to the wire and back; old versions are upcast on the way in, and everything is validated. */
export class EventCodec<E extends Event<string, unknown>> {
  readonly #wire: WireEvents<E>;

  constructor(wire: WireEvents<E>) {
    this.#wire = wire;
  }

  types(): readonly E['type'][] {
    return Object.keys(this.#wire) as E['type'][];
  }

  version(type: E['type']): number {
    return (this.#wire[type].upcasters?.length ?? 0) + 1;
  }

  encode(event: E, metadata: EventMetadata, id: string): NewEvent {
    return {
      id,
      type: event.type,
      data: event.data as JsonObject,
      metadata: { ...metadata, schemaVersion: this.version(event.type) },
    };
  }

  /** @throws UnreadableEvent naming the position, the type and the field */
  decode(recorded: RecordedEvent): Fact<E> {
    const { type, data, metadata, ...where } = recorded;
    const where_ = `event ${type} at position ${recorded.position}`;
    if (!Object.hasOwn(this.#wire, type)) throw new UnreadableEvent(`${where_}: unknown type`);
    const { schema, upcasters = [] } = this.#wire[type as E['type']];
    const version = metadata['schemaVersion'];
    if (typeof version !== 'number' || !Number.isInteger(version) || version < 1 || version > upcasters.length + 1)
      throw new UnreadableEvent(`${where_}: schema version ${JSON.stringify(version)}, this program reads 1 to ${upcasters.length + 1}`);
    const current = upcasters.slice(version - 1).reduce((older, upcast) => upcast(older), data);
    const parsed = schema.safeParse(current);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new UnreadableEvent(`${where_}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
    }
    return { ...where, event: { type, data: parsed.data } as E, metadata: readMetadata(metadata, where_) };
  }
}

const readMetadata = (raw: JsonObject, where: string): EventMetadata => {
  try {
    return metadataOf(raw);
  } catch (error) {
    throw new UnreadableEvent(`${where}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
};

const metadataOf = (raw: JsonObject): EventMetadata => {
  const text = (key: string): string | undefined => (typeof raw[key] === 'string' ? raw[key] : undefined);
  const [scope, causationId, traceparent] = [text('scope'), text('causationId'), text('traceparent')];
  return {
    tenant: tenantId(raw['tenant'], 'metadata.tenant'),
    actor: text('actor') ?? 'unknown',
    correlationId: text('correlationId') ?? '',
    ...(scope === undefined ? {} : { scope: vectorScope(scope, 'metadata.scope') }),
    ...(causationId === undefined ? {} : { causationId }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
};
