import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { SEALED_EXTRA, type FileSeal } from '@palimpsest/contracts';
import { decodeHead, encodeHead, headBytes, matches, type FrameHead } from '@palimpsest/foundation';
import { Corrupt } from '@palimpsest/knowledge/errors';

// File header, 32 bytes: "PALVECT\n" | version u32 | id, 8 bytes | end of the base u64 | CRC-32 of the 28 bytes before.
// Then frames with one tag, their kind. A frame of rows: number of parts u32 | length of each part u32 | the parts, each sealed for its
// place in the file, so that it can be read without the others. Everything little-endian.
// Version 2: a frame of rows is one sealed part. Version 1: also without an id, the end of the base at byte 16, and rows in the clear.

export const HEADER_BYTES = 32;
export const FRAME_HEAD_BYTES = headBytes(1);
const MAGIC = Buffer.from('PALVECT\n', 'latin1');
/** Of the files that are written. */
export const VERSION = 3;
export type Version = 1 | 2 | 3;
const [ID_AT, ID_END] = [12, 20];
const KINDS = { rows: 0x53574f52, flushed: 0x48534c46 } as const;
type Kind = keyof typeof KINDS;
const READ_AHEAD = 1 << 20;

export class UnreadableFrame extends Error {
  readonly at: number;

  constructor(at: number) {
    super(`unreadable frame at ${at}`);
    this.at = at;
  }
}

/** `id`: 16 hexadecimal digits that no other file has. */
export type Header = Readonly<{ baseEnd: number } & ({ version: 1 } | { version: 2 | 3; id: string })>;

export const newId = (): string => randomBytes(ID_END - ID_AT).toString('hex');

export const encodeHeader = ({ baseEnd, id }: Readonly<{ baseEnd: number; id: string }>): Uint8Array => {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(VERSION, 8);
  header.write(id, ID_AT, 'hex');
  header.writeBigUInt64LE(BigInt(baseEnd), ID_END);
  header.writeUInt32LE(crc32(header.subarray(0, 28)), 28);
  return header;
};

/** @throws Corrupt */
export const decodeHeader = async (handle: FileHandle): Promise<Header> => {
  const header = Buffer.alloc(HEADER_BYTES);
  const { bytesRead } = await handle.read(header, 0, HEADER_BYTES, 0);
  if (bytesRead < HEADER_BYTES) throw new Corrupt(`the file has ${bytesRead} bytes, which is less than its header`);
  if (!header.subarray(0, 8).equals(MAGIC) || header.readUInt32LE(28) !== crc32(header.subarray(0, 28)))
    throw new Corrupt('the file header is damaged');
  const version = header.readUInt32LE(8);
  if (version === 1) return { version, baseEnd: Number(header.readBigUInt64LE(16)) };
  if (version !== 2 && version !== VERSION) throw new Corrupt(`version ${version} of the file format is not supported`);
  return { version, baseEnd: Number(header.readBigUInt64LE(ID_END)), id: header.toString('hex', ID_AT, ID_END) };
};

export const frameHead = (kind: Kind, payload: Uint8Array): Uint8Array => encodeHead(payload, KINDS[kind]);

const headOf = (bytes: Buffer): (FrameHead & Readonly<{ kind: Kind }>) | undefined => {
  const kind = (Object.keys(KINDS) as Kind[]).find((name) => KINDS[name] === bytes.readUInt32LE(0));
  const head = kind && decodeHead(bytes, 1);
  return kind && head && { ...head, kind };
};

/** What a frame of rows contains. `at`: the place of each part in the file. */
export type Frame = Readonly<{ parts: readonly Uint8Array[]; at: readonly number[] }>;

/** How the rows of a file are read: `seal` is undefined if they are in the clear. */
export type Reading = Readonly<{ version: Version; seal: Pick<FileSeal, 'open'> | undefined }>;

/** Returns a frame of rows for the place `at`. */
export const rowFrame = (parts: readonly Uint8Array[], at: number, seal: Pick<FileSeal, 'seal'>): Uint8Array => {
  const lengths = Buffer.alloc(4 + 4 * parts.length);
  lengths.writeUInt32LE(parts.length, 0);
  let place = at + FRAME_HEAD_BYTES + lengths.length;
  const sealed = parts.map((part, i) => {
    lengths.writeUInt32LE(part.length, 4 + 4 * i);
    const bytes = seal.seal(part, place);
    place += bytes.length;
    return bytes;
  });
  const content = Buffer.concat([lengths, ...sealed]);
  return Buffer.concat([frameHead('rows', content), content]);
};

/** Returns the place of the second part of a frame at `at`. */
export const placeOfSecond = (parts: readonly Uint8Array[], at: number): number =>
  at + FRAME_HEAD_BYTES + 4 + 4 * parts.length + (parts[0]?.length ?? 0) + SEALED_EXTRA;

const openFrame = (content: Buffer, at: number, { version, seal }: Reading): Frame => {
  if (seal === undefined) return { parts: [new Uint8Array(content)], at: [] };
  if (version === 2) return { parts: [seal.open(content, at)], at: [] };
  const count = content.length < 4 ? 0 : content.readUInt32LE(0);
  let from = 4 + 4 * count;
  const [parts, places]: [Uint8Array[], number[]] = [[], []];
  for (let i = 0; i < count && from <= content.length; i++) {
    const length = content.readUInt32LE(4 + 4 * i) + SEALED_EXTRA;
    places.push(at + FRAME_HEAD_BYTES + from);
    parts.push(seal.open(content.subarray(from, from + length), at + FRAME_HEAD_BYTES + from));
    from += length;
  }
  if (parts.length === 0 || from !== content.length) throw new Corrupt(`the frame at byte ${at} has other parts than it says`);
  return { parts, at: places };
};

/**
 * Yields all row frames up to `size`, each part in its own buffer. Returns whether the last frame records that everything before it was
 * flushed.
 * @throws UnreadableFrame; Corrupt for what is intact, but was not sealed for this place
 */
export async function* readFrames(handle: FileHandle, size: number, reading: Reading): AsyncGenerator<Frame, boolean> {
  const reader = new AheadReader(handle, size);
  let flushed = false;
  for (let at = HEADER_BYTES; at < size;) {
    const head = await reader.read(at, FRAME_HEAD_BYTES);
    const frame = head && headOf(head);
    const content = frame && (await reader.read(at + FRAME_HEAD_BYTES, frame.length));
    if (!content || !matches(content, frame)) throw new UnreadableFrame(at);
    flushed = frame.kind === 'flushed';
    if (frame.kind === 'rows') yield openFrame(content, at, reading);
    at += FRAME_HEAD_BYTES + frame.length;
  }
  return flushed;
}

/** Whether there is a valid frame head anywhere after `at`: then the bytes at `at` are not an incomplete append. */
export const holdsFrameAfter = async (handle: FileHandle, at: number, size: number): Promise<boolean> => {
  const reader = new AheadReader(handle, size);
  for (let from = at + 1; from < size; from += READ_AHEAD) {
    const part = await reader.read(from, Math.min(READ_AHEAD + FRAME_HEAD_BYTES, size - from));
    if (part === undefined) return false;
    for (let i = 0; i + FRAME_HEAD_BYTES <= part.length; i++)
      if (part[i + 3] === 0x53 || part[i + 3] === 0x48) if (headOf(part.subarray(i, i + FRAME_HEAD_BYTES))) return true;
  }
  return false;
};

/** Reads ahead in megabytes, because many frames are small. A returned buffer is valid until the next call. */
class AheadReader {
  readonly #handle: FileHandle;
  readonly #size: number;
  #space = Buffer.alloc(0);
  /** The part of `#space` that contains the bytes of the file from `#start` on. */
  #buffer = this.#space;
  #start = 0;

  constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.#size = size;
  }

  /** Returns `length` bytes from `at`, or undefined when the file ends before that. */
  async read(at: number, length: number): Promise<Buffer | undefined> {
    if (at + length > this.#size) return undefined;
    if (at < this.#start || at + length > this.#start + this.#buffer.length) {
      const wanted = Math.min(Math.max(length, READ_AHEAD), this.#size - at);
      if (this.#space.length < wanted) this.#space = Buffer.allocUnsafe(wanted);
      const buffer = this.#space.subarray(0, wanted);
      for (let done = 0; done < buffer.length;) {
        const { bytesRead } = await this.#handle.read(buffer, done, buffer.length - done, at + done);
        if (bytesRead === 0) return undefined;
        done += bytesRead;
      }
      this.#buffer = buffer;
      this.#start = at;
    }
    return this.#buffer.subarray(at - this.#start, at - this.#start + length);
  }
}
