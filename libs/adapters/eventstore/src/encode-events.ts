import { gzipSync } from 'node:zlib';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { MAX_APPEND_BYTES, type JsonObject, type NewEvent } from '@palimpsest/knowledge/ports';
import type { Namespace } from './namespace.ts';

/** The server's limit for one append. It counts data, metadata and two bytes per character of the type. */
const SERVER_BYTES = 1024 * 1024;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** A name of an event type or stream: no control characters, and not a system name. */
const NAME = /^(?!\$)[^\p{Cc}\p{Cs}]{1,1000}$/u;

/** An event as it is sent to the server. `json`: data and metadata are JSON; otherwise `data` holds both, packed. */
export type EncodedEvent = Readonly<{ id: string; type: string; json: boolean; data: Buffer; metadata: Buffer }>;

/**
 * Checks and encodes the events of an append. Events are JSON on the server, readable for its other users. Only if an append
 * would exceed the server's limit, its largest events are packed (gzip).
 * @throws InvalidValue: no events; more than MAX_APPEND_BYTES; more than the server accepts even after packing; a
 * malformed or repeated id; a malformed type
 */
export const encodeEvents = (namespace: Namespace, events: readonly NewEvent[]): readonly EncodedEvent[] => {
  if (events.length === 0) throw new InvalidValue('events', 'at least one event', events);
  const encoded = events.map((event) => encode(namespace, event));
  const bytes = sum(encoded, ({ data, metadata }) => data.length + metadata.length);
  if (bytes > MAX_APPEND_BYTES)
    throw new InvalidValue('events', `at most ${MAX_APPEND_BYTES} bytes of data and metadata in one append`, bytes);
  if (new Set(encoded.map(({ id }) => id)).size < encoded.length)
    throw new InvalidValue(
      'events',
      'a different id for each event',
      events.map(({ id }) => id),
    );
  return fitting(encoded);
};

const encode = (namespace: Namespace, { id, type, data, metadata }: NewEvent): EncodedEvent => {
  if (typeof id !== 'string' || !UUID.test(id)) throw new InvalidValue('id', 'a UUID', id);
  if (/^[0-]+$/.test(id)) throw new InvalidValue('id', 'a UUID that is not all zeros', id);
  checkName('type', type);
  return { id: id.toLowerCase(), type: namespace.type(type), json: true, data: json('data', data), metadata: json('metadata', metadata) };
};

const json = (field: string, value: JsonObject): Buffer => {
  const expected = 'an object that JSON can represent';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new InvalidValue(field, expected, value);
  try {
    return Buffer.from(JSON.stringify(value));
  } catch (error) {
    throw new InvalidValue(field, expected, String(error));
  }
};

const serverBytes = ({ data, metadata, type }: EncodedEvent): number => data.length + metadata.length + 2 * type.length;
const sum = <T>(items: readonly T[], of: (item: T) => number): number => items.reduce((total, item) => total + of(item), 0);

/** Packs events, the largest first, until the append fits. */
const fitting = (events: readonly EncodedEvent[]): readonly EncodedEvent[] => {
  let bytes = sum(events, serverBytes);
  if (bytes <= SERVER_BYTES) return events;
  const fitted = [...events];
  const largestFirst = [...events.keys()].sort((a, b) => serverBytes(events[b] as EncodedEvent) - serverBytes(events[a] as EncodedEvent));
  for (const index of largestFirst) {
    const event = events[index] as EncodedEvent;
    const packed = pack(event);
    if (serverBytes(packed) >= serverBytes(event)) continue;
    fitted[index] = packed;
    bytes += serverBytes(packed) - serverBytes(event);
    if (bytes <= SERVER_BYTES) return fitted;
  }
  throw new InvalidValue(
    'events',
    `an append of at most ${SERVER_BYTES} bytes (the server counts types too); append fewer events at once`,
    bytes,
  );
};

/** JSON text never contains a line break, so one separates data and metadata. */
const pack = (event: EncodedEvent): EncodedEvent => ({
  ...event,
  json: false,
  data: gzipSync(Buffer.concat([event.data, Buffer.from('\n'), event.metadata]), { level: 1 }),
  metadata: Buffer.alloc(0),
});

/** @throws InvalidValue */
export const checkName = (field: string, name: string): void => {
  if (typeof name !== 'string' || !NAME.test(name))
    throw new InvalidValue(field, '1 to 1000 characters without control characters, the first not "$"', name);
};
