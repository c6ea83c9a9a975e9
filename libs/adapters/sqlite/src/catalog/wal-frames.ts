import { closeSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';

// https://www.sqlite.org/fileformat2.html#the_write_ahead_log
const HEADER = 32;
const FRAME_HEADER = 24;
const MAGIC = 0x377f0682;
const FRAMES_AT_A_TIME = 64;

/** Identifies a write-ahead file by the salts in its header; `frames`: how many frames were read, up to the last commit. */
export type WalExtent = Readonly<{ salts: readonly [number, number]; frames: number }>;

/** The effect of the newly read commits on the database: its number of pages, and the CRC-32 of each page that they write. */
export type WalPages = Readonly<{ pages: number; sums: ReadonlyMap<number, number> }>;

const NONE: WalExtent = { salts: [0, 0], frames: 0 };

/**
 * Reads a write-ahead file as SQLite does during recovery: frame by frame, each with a checksum over all frames before it, up to the last
 * complete commit. Each read continues where the last one ended, or starts over when SQLite has restarted the file.
 */
export class WalFrames {
  readonly #path: string;
  #extent = NONE;
  #sum: Sum = [0, 0];
  #held = new Set<number>();

  constructor(path: string) {
    this.#path = path;
  }

  /** How far the file was read. */
  get extent(): WalExtent {
    return this.#extent;
  }

  /** Whether SQLite reads this page from the write-ahead file and not from the database. */
  holds(page: number): boolean {
    return this.#held.has(page);
  }

  /** Returns undefined when there is nothing new. A commit that is being written at this moment is read by the next call. */
  read(): WalPages | undefined {
    const wal = opened(this.#path);
    if (wal === undefined) return this.#restart(NONE, [0, 0]);
    try {
      const header = headerOf(wal);
      if (header === undefined) return this.#restart(NONE, [0, 0]);
      if (!sameSalts(header.salts, this.#extent.salts)) this.#restart({ salts: header.salts, frames: 0 }, header.sum);
      const found = this.#commits(wal, header);
      // SQLite restarted the file during the read: the frames come from two files.
      if (!sameSalts(headerOf(wal)?.salts, header.salts)) return this.#restart(NONE, [0, 0]);
      return found;
    } finally {
      closeSync(wal);
    }
  }

  #restart(extent: WalExtent, sum: Sum): undefined {
    this.#extent = extent;
    this.#sum = sum;
    this.#held = new Set();
  }

  #commits(wal: number, { pageSize, order, salts }: Header): WalPages | undefined {
    const [sums, since] = [new Map<number, number>(), new Map<number, number>()];
    let pages: number | undefined;
    let sum = this.#sum;
    let n = this.#extent.frames;
    for (const frame of frames(wal, FRAME_HEADER + pageSize, n)) {
      n++;
      sum = added(added(sum, frame, 0, 8, order), frame, FRAME_HEADER, frame.length, order);
      const ours = sameSalts([frame.readUInt32BE(8), frame.readUInt32BE(12)], salts) && frame.readUInt32BE(16) === sum[0] && frame.readUInt32BE(20) === sum[1];
      const number = frame.readUInt32BE(0);
      if (!ours || number === 0) break;
      since.set(number, crc32(frame.subarray(FRAME_HEADER)));
      // Zero, except in the last frame of a commit.
      const size = frame.readUInt32BE(4);
      if (size === 0) continue;
      for (const [written, crc] of since) sums.set(written, crc);
      since.clear();
      pages = size;
      this.#sum = sum;
      this.#extent = { salts, frames: n };
    }
    for (const written of sums.keys()) this.#held.add(written);
    return pages === undefined ? undefined : { pages, sums };
  }
}

type Sum = readonly [number, number];
type Order = 'little' | 'big';
type Header = Readonly<{ pageSize: number; order: Order; salts: readonly [number, number]; sum: Sum }>;

export const sameSalts = (one: readonly [number, number] | undefined, other: readonly [number, number]): boolean => one?.[0] === other[0] && one[1] === other[1];

const opened = (path: string): number | undefined => {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Yields whole frames, from frame number `from` on. Each buffer is valid only until the next frame is read. */
function* frames(wal: number, size: number, from: number): Generator<Buffer> {
  const block = Buffer.alloc(size * FRAMES_AT_A_TIME);
  for (let at = HEADER + from * size; ; at += block.length) {
    const read = Math.floor(readSync(wal, block, 0, block.length, at) / size);
    for (let i = 0; i < read; i++) yield block.subarray(i * size, (i + 1) * size);
    if (read < FRAMES_AT_A_TIME) return;
  }
}

/** Returns undefined where SQLite treats the file as empty. */
const headerOf = (wal: number): Header | undefined => {
  const header = Buffer.alloc(HEADER);
  if (readSync(wal, header, 0, HEADER, 0) < HEADER) return undefined;
  const magic = header.readUInt32BE(0);
  if ((magic & ~1) !== MAGIC) return undefined;
  const order = magic === MAGIC ? 'little' : 'big';
  const sum = added([0, 0], header, 0, 24, order);
  if (header.readUInt32BE(24) !== sum[0] || header.readUInt32BE(28) !== sum[1]) return undefined;
  return { pageSize: header.readUInt32BE(8), order, salts: [header.readUInt32BE(16), header.readUInt32BE(20)], sum };
};

/** Reads every byte of the write-ahead file, so it processes whole words when their byte order is that of this machine. */
const added = (sum: Sum, bytes: Buffer, from: number, to: number, order: Order): Sum => {
  const start = bytes.byteOffset + from;
  if ((order === 'little') !== (endianness() === 'LE') || start % 4 !== 0) return addedSlowly(sum, bytes, from, to, order);
  const words = new Int32Array(bytes.buffer, start, (to - from) / 4);
  let [a, b] = [sum[0] | 0, sum[1] | 0];
  for (let i = 0; i < words.length; i += 2) {
    a = (a + b + (words[i] ?? 0)) | 0;
    b = (b + a + (words[i + 1] ?? 0)) | 0;
  }
  return [a >>> 0, b >>> 0];
};

const addedSlowly = ([first, second]: Sum, bytes: Buffer, from: number, to: number, order: Order): Sum => {
  let [a, b] = [first, second];
  for (let at = from; at < to; at += 8) {
    a = (a + b + (order === 'little' ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at))) >>> 0;
    b = (b + a + (order === 'little' ? bytes.readUInt32LE(at + 4) : bytes.readUInt32BE(at + 4))) >>> 0;
  }
  return [a, b];
};
