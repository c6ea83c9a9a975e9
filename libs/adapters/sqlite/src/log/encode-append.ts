import { InvalidValue } from '@palimpsest/knowledge/errors';
import { MAX_APPEND_BYTES, type ExpectedRevision, type JsonObject, type NewEvent, type StreamName } from '@palimpsest/knowledge/ports';
import type { EncodedAppend } from './log-calls.ts';
import { nextTurn, turnIsSpent } from './loop-turns.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** The name of an event type or stream: no line breaks or other control characters. */
const NAME = /^[^\p{Cc}\p{Cs}]{1,1000}$/u;

/**
 * Checks an append and encodes it for the writer's thread, a few milliseconds at a time.
 * @throws InvalidValue for no events, more than MAX_APPEND_BYTES, an invalid or repeated id, or an invalid type or revision
 */
export const encodeAppend = async (stream: StreamName, events: readonly NewEvent[], expected: ExpectedRevision): Promise<EncodedAppend> => {
  if (events.length === 0) throw new InvalidValue('events', 'at least one event', events);
  checkName('stream', stream);
  const revision = revisionNumber(expected);
  const ids: string[] = [];
  const lines: string[] = [];
  let bytes = 0;
  for (const event of events) {
    if (turnIsSpent()) await nextTurn('urgent'); // reads never delay appends
    const { type, data, metadata } = encodeEvent(event);
    bytes += Buffer.byteLength(data) + Buffer.byteLength(metadata);
    if (bytes > MAX_APPEND_BYTES)
      throw new InvalidValue('events', `at most ${MAX_APPEND_BYTES} bytes of data and metadata in one append`, bytes);
    ids.push(idDigits(event.id));
    lines.push(type, data, metadata);
  }
  if (new Set(ids).size < ids.length) throw new InvalidValue('events', 'a different id for each event', ids);
  return { stream, expected: revision, ids, lines: lines.join('\n') };
};

const encodeEvent = ({ type, data, metadata }: NewEvent): { type: string; data: string; metadata: string } => {
  checkName('type', type);
  return { type, data: jsonText('data', data), metadata: jsonText('metadata', metadata) };
};

const jsonText = (field: string, value: JsonObject): string => {
  const expected = 'an object that can be encoded as JSON';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new InvalidValue(field, expected, value);
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw new InvalidValue(field, expected, String(error));
  }
};

const idDigits = (id: string): string => {
  if (typeof id !== 'string' || !UUID.test(id)) throw new InvalidValue('id', 'a UUID', id);
  return id.replaceAll('-', '').toLowerCase();
};

/** -1 for `no-stream`. */
const revisionNumber = (expected: ExpectedRevision): number => {
  if (expected === 'no-stream') return -1;
  if (!Number.isSafeInteger(expected) || expected < 0)
    throw new InvalidValue('expected', '"no-stream" or a revision of 0 or more', expected);
  return expected;
};

/** @throws InvalidValue */
export const checkName = (field: string, name: string): void => {
  if (typeof name !== 'string' || !NAME.test(name)) throw new InvalidValue(field, '1 to 1000 characters without control characters', name);
};
