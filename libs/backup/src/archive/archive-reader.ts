import { UnusableFile } from '../sealed/refusal.ts';
import { readHead, readManifest, type Head, type Manifest } from './manifest.ts';
import { PartTally } from './part-tally.ts';
import {
  decodeEvent,
  decodeNamed,
  decodeStreams,
  decodeTruncations,
  FRAME_BYTES,
  kindOf,
  ORDER,
  PARTS,
  type Part,
  type RecordKind,
} from './records.ts';
import type { LogStream, StoredEvent, TruncatedStream } from '@palimpsest/adapters-sqlite';

/** Called for each record. Promises are awaited. */
export type ArchiveVisitor = Readonly<{
  streams: (page: readonly LogStream[]) => void | Promise<void>;
  event: (event: StoredEvent) => void;
  truncated: (page: readonly TruncatedStream[]) => void;
  blob: (key: string, bytes: Buffer) => void | Promise<void>;
  file: (name: string, bytes: Buffer) => void | Promise<void>;
}>;

/** Maximum bytes of one record: an upload of the largest configurable size, with its seal. */
const MAX_BYTES = 1024 * 1024 * 1024 + 64 * 1024;

/**
 * Reads a backup from its first record to its manifest, and compares the records with the manifest.
 * @throws UnusableFile when anything differs; the caller must then discard what the visitor received
 */
export const readArchive = async (chunks: AsyncGenerator<Buffer>, visitor: ArchiveVisitor): Promise<Manifest> => {
  const [bytes, tally] = [new ByteQueue(chunks), new PartTally()];
  let head: Head | undefined;
  for (let before: RecordKind | undefined; ;) {
    const start = bytes.buffered(FRAME_BYTES) ?? (await bytes.take(FRAME_BYTES));
    const [kind, length] = [kindOf(start[0] ?? 0), start.readUInt32BE(1)];
    if (kind === undefined || length > MAX_BYTES || (before !== undefined && ORDER.indexOf(kind) < ORDER.indexOf(before)))
      throw new UnusableFile('the records of the backup are not in the right order');
    const content = bytes.buffered(length) ?? (await bytes.take(length));
    if ((kind === 'head') !== (before === undefined)) throw new UnusableFile('the backup does not start with its head record');
    before = kind;
    if (kind === 'head') head = readHead(content);
    else if (kind === 'manifest') {
      await bytes.end();
      return verified(readManifest(content), tally, head);
    } else {
      const items = visit(kind, content, visitor);
      tally.add(kind, items.count, [start, content]);
      if (items.done) await items.done;
    }
  }
};

const visit = (part: Part, content: Buffer, visitor: ArchiveVisitor): Readonly<{ count: number; done?: void | Promise<void> }> => {
  if (part === 'events') {
    visitor.event(decodeEvent(content));
    return { count: 1 };
  }
  if (part === 'streams') {
    const page = decodeStreams(content);
    return { count: page.length, done: visitor.streams(page) };
  }
  if (part === 'truncations') {
    const page = decodeTruncations(content);
    visitor.truncated(page);
    return { count: page.length };
  }
  const { name, bytes } = decodeNamed(content);
  return { count: 1, done: part === 'blobs' ? visitor.blob(name, bytes) : visitor.file(name, bytes) };
};

const verified = (manifest: Manifest, tally: PartTally, head: Head | undefined): Manifest => {
  const found = tally.figures();
  for (const part of PARTS) {
    const [actual, expected] = [found[part], manifest.parts[part]];
    if (actual.items !== expected.items || actual.bytes !== expected.bytes || actual.sha256 !== expected.sha256)
      throw new UnusableFile(`the ${part} of the backup differ from its manifest: ${actual.items} of ${expected.items}`);
  }
  if (head?.position !== manifest.position) throw new UnusableFile('head and manifest of the backup have different positions');
  return manifest;
};

/** Reads a given number of bytes from chunks of any size. */
class ByteQueue {
  readonly #chunks: AsyncGenerator<Buffer>;
  #current: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncGenerator<Buffer>) {
    this.#chunks = chunks;
  }

  /** Returns the bytes without waiting, or undefined when they are not buffered. */
  buffered(length: number): Buffer | undefined {
    if (this.#current.length < length) return undefined;
    const taken = this.#current.subarray(0, length);
    this.#current = this.#current.subarray(length);
    return taken;
  }

  /** @throws UnusableFile when fewer bytes are left */
  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [this.#current];
    for (let found = this.#current.length; found < length;) {
      const next = await this.#chunks.next();
      if (next.done) throw new UnusableFile('the backup ends in the middle of a record');
      parts.push(next.value);
      found += next.value.length;
    }
    this.#current = Buffer.concat(parts);
    return this.buffered(length) ?? Buffer.alloc(0);
  }

  /** @throws UnusableFile when bytes are left */
  async end(): Promise<void> {
    const next = await this.#chunks.next();
    if (this.#current.length > 0 || !next.done) throw new UnusableFile('the backup continues after its manifest');
  }
}
