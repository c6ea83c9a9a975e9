import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { FileSeal } from '@palimpsest/contracts';
import { decodeHead, encodeHead, headBytes, matches, type FrameHead } from '@palimpsest/foundation';
import { Corrupt } from '@palimpsest/knowledge/errors';

// File header, 32 bytes: "PALVECT\n" | version u32 | id, 8 bytes | end of the base u64 | CRC-32 of the 28 bytes before.
// Then frames with one tag, their kind; rows are sealed. Everything little-endian.
// Version 1: without an id, the end of the base at byte 16, and rows in the clear.

export const HEADER_BYTES = 32;
export const FRAME_HEAD_BYTES = headBytes(1);
const MAGIC = Buffer.from('PALVECT\n', 'latin1');
const VERSION = 2;
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

/** `id`: 16 hexadecimal digits that no other file has; undefined if the rows are in the clear, as earlier versions wrote them. */
export type Header = Readonly<{ baseEnd: number; id: string | undefined }>;

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
  if (version === 1) return { baseEnd: Number(header.readBigUInt64LE(16)), id: undefined };
  if (version !== VERSION) throw new Corrupt(`version ${version} of the file format is not supported`);
  return { baseEnd: Number(header.readBigUInt64LE(ID_END)), id: header.toString('hex', ID_AT, ID_END) };
};

export const frameHead = (kind: Kind, payload: Uint8Array): Uint8Array => encodeHead(payload, KINDS[kind]);

const headOf = (bytes: Buffer): (FrameHead & Readonly<{ kind: Kind }>) | undefined => {
  const kind = (Object.keys(KINDS) as Kind[]).find((name) => KINDS[name] === bytes.readUInt32LE(0));
  const head = kind && decodeHead(bytes, 1);
  return kind && head && { ...head, kind };
};

/** The rows of version 1. */
const CLEAR: Pick<FileSeal, 'open'> = { open: (payload) => new Uint8Array(payload) };

/**
 * Yields the payloads of all row frames up to `size`, each in its own buffer. `seal`: undefined if they are in the clear. Returns whether
 * the last frame records that everything before it was flushed.
 * @throws UnreadableFrame; Corrupt for what is intact, but was not sealed for this place
 */
export async function* readFrames(
  handle: FileHandle,
  size: number,
  seal: Pick<FileSeal, 'open'> = CLEAR,
): AsyncGenerator<Uint8Array, boolean> {
  const reader = new AheadReader(handle, size);
  let flushed = false;
  for (let at = HEADER_BYTES; at < size;) {
    const head = await reader.read(at, FRAME_HEAD_BYTES);
    const frame = head && headOf(head);
    const payload = frame && (await reader.read(at + FRAME_HEAD_BYTES, frame.length));
    if (!payload || !matches(payload, frame)) throw new UnreadableFrame(at);
    flushed = frame.kind === 'flushed';
    if (frame.kind === 'rows') yield seal.open(payload, at);
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
