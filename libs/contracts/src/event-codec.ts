import type { z } from 'zod';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { subjectKey } from '@palimpsest/knowledge/subjects';
import { tenantId, vectorScope } from '@palimpsest/knowledge/values';
import type { Event, EventMetadata, Fact } from '@palimpsest/knowledge/events';
import type { JsonObject, NewEvent, RecordedEvent, ScopeCipher } from '@palimpsest/knowledge/ports';
import { expectedOf } from './expected.ts';
import { fromBase64, toBase64 } from './sealing.ts';

/** Converts the data of one schema version to the next. Pure and total; never removed. */
export type Upcaster = (data: JsonObject) => JsonObject;

/** Fields that are sealed on the log, each with the value that replaces it once the scope's key is destroyed; `undefined`: left out. */
export type SealedFields<Data> = Readonly<{ [Field in keyof Data]?: Data[Field] | undefined }>;

/**
 * One event type on the wire: `upcasters[i]` converts version i + 1 to i + 2, so the current version is their number + 1.
 * `sealed`: fields that name or describe content. On the log they are one value, `sealed`, under the key of the event's scope.
 */
export type WireEvent<Data> = Readonly<{ schema: z.ZodType<Data>; upcasters?: readonly Upcaster[]; sealed?: SealedFields<Data> }>;

export type WireEvents<E extends Event<string, unknown>> = { readonly [Type in E['type']]: WireEvent<Extract<E, { type: Type }>['data']> };

/** What opens sealed fields: a cipher, or nothing if the key of the scope was destroyed. */
export type Opener = ScopeCipher | 'destroyed' | undefined;

/** An event on the log violates its schema: it was written by another program or by a newer version. */
export class UnreadableEvent extends Corrupt {}

/** Name of the field on the wire that contains the sealed fields: Base64 of the sealed JSON object. */
const SEALED = 'sealed';

/** Whether an opener is needed to decode an event. */
export const hasSealedFields = ({ data }: Pick<RecordedEvent, 'data'>): boolean => typeof data[SEALED] === 'string';

/** Sealed fields open only in the event that they were sealed for. */
const contextOf = (type: string, id: string): string => `event/${type}/${id}`;

/** Converts domain events to wire format and back. Encoding seals; decoding opens, upcasts old versions and validates everything. */
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

  /** Names of the fields that are sealed on the log. */
  sealedFields(type: E['type']): readonly string[] {
    return Object.keys(this.#wire[type].sealed ?? {});
  }

  /** Whether `encode` needs a cipher for this event: it has a field to seal. */
  needsCipher({ type, data }: E): boolean {
    return Object.keys(this.#wire[type as E['type']].sealed ?? {}).some((field) => (data as JsonObject)[field] !== undefined);
  }

  /** @throws Error if the event has fields to seal, and there is no cipher */
  encode(event: E, metadata: EventMetadata, id: string, cipher?: ScopeCipher): NewEvent {
    return {
      id,
      type: event.type,
      data: this.#seal(event, id, cipher),
      metadata: { ...metadata, schemaVersion: this.version(event.type) },
    };
  }

  /** `opener`: needed for events with `hasSealedFields`. @throws UnreadableEvent with the position, the type and the field */
  decode(recorded: RecordedEvent, opener?: Opener): Fact<E> {
    const { type, data, metadata, ...where } = recorded;
    const label = `event ${type} at position ${recorded.position}`;
    if (!Object.hasOwn(this.#wire, type)) throw new UnreadableEvent(`${label}: unknown type`);
    const { schema, upcasters = [] } = this.#wire[type as E['type']];
    const version = metadata['schemaVersion'];
    if (typeof version !== 'number' || !Number.isInteger(version) || version < 1 || version > upcasters.length + 1)
      throw new UnreadableEvent(`${label}: schema version ${JSON.stringify(version)}, supported versions are 1 to ${upcasters.length + 1}`);
    const opened = hasSealedFields(recorded) ? this.#open(recorded, opener, label) : data;
    const current = upcasters.slice(version - 1).reduce((older, upcast) => upcast(older), opened);
    const parsed = schema.safeParse(current, { error: (issue) => `expected ${expectedOf(issue)}` });
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new UnreadableEvent(`${label}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
    }
    return { ...where, event: { type, data: parsed.data } as E, metadata: readMetadata(metadata, label) };
  }

  #seal({ type, data }: E, id: string, cipher: ScopeCipher | undefined): JsonObject {
    const fields = Object.entries(data as JsonObject);
    const sealed = this.#wire[type as E['type']].sealed ?? {};
    const secret = fields.filter(([field, value]) => Object.hasOwn(sealed, field) && value !== undefined);
    if (secret.length === 0) return data as JsonObject;
    if (cipher === undefined) throw new Error(`${type} has fields to seal, but concerns no scope`);
    const open = fields.filter(([field]) => !Object.hasOwn(sealed, field));
    const bytes = cipher.seal(Buffer.from(JSON.stringify(Object.fromEntries(secret))), contextOf(type, id));
    return { ...Object.fromEntries(open), [SEALED]: toBase64(bytes) };
  }

  #open({ type, id, data: { [SEALED]: sealed, ...open } }: RecordedEvent, opener: Opener, label: string): JsonObject {
    if (opener === 'destroyed') {
      const erased = Object.entries((this.#wire[type as E['type']].sealed ?? {}) as JsonObject);
      return { ...open, ...Object.fromEntries(erased.filter(([, value]) => value !== undefined)) };
    }
    if (opener === undefined) throw new Corrupt(`${label}: its sealed fields belong to no scope`);
    return {
      ...open,
      ...(JSON.parse(Buffer.from(opener.open(fromBase64(sealed as string), contextOf(type, id))).toString()) as JsonObject),
    };
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
  const [scope, subject, causationId, traceparent] = [text('scope'), text('subject'), text('causationId'), text('traceparent')];
  return {
    tenant: tenantId(raw['tenant'], 'metadata.tenant'),
    actor: text('actor') ?? 'unknown',
    correlationId: text('correlationId') ?? '',
    ...(scope === undefined ? {} : { scope: vectorScope(scope, 'metadata.scope') }),
    ...(subject === undefined ? {} : { subject: subjectKey(subject, 'metadata.subject') }),
    ...(causationId === undefined ? {} : { causationId }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
};
