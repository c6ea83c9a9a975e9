import type { LogStream, StoredEvent, TruncatedStream } from '@palimpsest/adapters-sqlite';
import { UnusableFile } from '../sealed/refusal.ts';

/** The records of a backup. A record is its tag (1 byte), its length (4 bytes, big-endian) and its content. */
export const TAGS = { head: 1, streams: 2, events: 3, blobs: 4, files: 5, manifest: 6, truncations: 7 } as const;
export type RecordKind = keyof typeof TAGS;
/** The kinds of records that the manifest counts. */
export const PARTS = ['streams', 'events', 'truncations', 'blobs', 'files'] as const satisfies readonly RecordKind[];
export type Part = (typeof PARTS)[number];

/** Their order. Truncations follow the events: a stream may be truncated while its events are read. */
export const ORDER: readonly RecordKind[] = ['head', ...PARTS, 'manifest'];

export const FRAME_BYTES = 5;

export const kindOf = (tag: number): RecordKind | undefined => (Object.keys(TAGS) as RecordKind[]).find((kind) => TAGS[kind] === tag);

export const frame = (kind: RecordKind, length: number): Buffer => {
  const bytes = Buffer.allocUnsafe(FRAME_BYTES);
  bytes[0] = TAGS[kind];
  bytes.writeUInt32BE(length, 1);
  return bytes;
};

export const encodeStreams = (streams: readonly LogStream[]): Buffer =>
  Buffer.from(JSON.stringify(streams.map(({ name, lastRevision, maxAgeMs }) => [name, lastRevision, maxAgeMs])));

export const decodeStreams = (content: Buffer): readonly LogStream[] =>
  (JSON.parse(content.toString()) as [string, number, number | null][]).map(([name, lastRevision, maxAgeMs]) => ({
    name,
    lastRevision,
    maxAgeMs,
  }));

export const encodeTruncations = (streams: readonly TruncatedStream[]): Buffer =>
  Buffer.from(JSON.stringify(streams.map(({ name, firstRevision }) => [name, firstRevision])));

export const decodeTruncations = (content: Buffer): readonly TruncatedStream[] =>
  (JSON.parse(content.toString()) as [string, number][]).map(([name, firstRevision]) => ({ name, firstRevision }));

/**
 * An event: position, revision and time (6 bytes each), id (16), the lengths of stream, type (2 each), data and metadata (4 each),
 * then these four as UTF-8. Big-endian. It contains all that the log stores about the event, so a digest of these is a digest of the log.
 */
const EVENT_HEAD = 6 * 3 + 16 + 2 * 2 + 4 * 2;

export const encodeEvent = ({ position, revision, recordedAt, id, stream, type, data, metadata }: StoredEvent): Buffer => {
  const texts = [stream, type, data, metadata] as const;
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const bytes = Buffer.allocUnsafe(EVENT_HEAD + lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const number of [position, revision, recordedAt]) at = bytes.writeUIntBE(number, at, 6);
  at += bytes.write(id, at, 'hex');
  lengths.forEach((length, i) => (at = i < 2 ? bytes.writeUInt16BE(length, at) : bytes.writeUInt32BE(length, at)));
  for (const text of texts) at += bytes.write(text, at);
  return bytes;
};

/** @throws UnusableFile */
export const decodeEvent = (bytes: Buffer): StoredEvent => {
  if (bytes.length < EVENT_HEAD) throw new UnusableFile('an event of the backup is too short');
  const number = (at: number): number => bytes.readUIntBE(at, 6);
  const lengths = [bytes.readUInt16BE(34), bytes.readUInt16BE(36), bytes.readUInt32BE(38), bytes.readUInt32BE(42)];
  let at = EVENT_HEAD;
  const [stream = '', type = '', data = '', metadata = ''] = lengths.map((length) => bytes.toString('utf8', at, (at += length)));
  if (at !== bytes.length) throw new UnusableFile('an event of the backup does not have the length that it declares');
  return {
    position: number(0),
    revision: number(6),
    recordedAt: number(12),
    id: bytes.toString('hex', 18, 34),
    stream,
    type,
    data,
    metadata,
  };
};

/** Bytes with a name: a blob, or a file of the data folder. */
export const encodeNamed = (name: string, bytes: Uint8Array): readonly Uint8Array[] => {
  const text = Buffer.from(name);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return [length, text, bytes];
};

/** @throws UnusableFile */
export const decodeNamed = (content: Buffer): Readonly<{ name: string; bytes: Buffer }> => {
  const length = content.length < 2 ? Infinity : content.readUInt16BE(0);
  if (2 + length > content.length) throw new UnusableFile('a part of the backup has no name');
  return { name: content.toString('utf8', 2, 2 + length), bytes: content.subarray(2 + length) };
};
