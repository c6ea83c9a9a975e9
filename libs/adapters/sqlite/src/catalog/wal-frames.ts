import { closeSync, openSync, readSync } from 'node:fs';
import { clearedSum } from './page-gaps.ts';

// https://www.sqlite.org/fileformat2.html#the_write_ahead_log
const HEADER = 32;
const FRAME_HEADER = 24;
const MAGIC = 0x377f0682;
const FRAMES_AT_A_TIME = 64;

/** Identifies a write-ahead file by the salts in its header; `frames`: how many frames its commits have. */
export type WalExtent = Readonly<{ salts: Pair; frames: number }>;

/** The effect of all commits on the database: its number of pages, and the CRC-32 of each page that they write, as `clearGaps` leaves it. */
export type WalCommits = WalExtent & Readonly<{ pages: number; sums: ReadonlyMap<number, number> }>;

type Pair = readonly [number, number];

/**
 * Reads a write-ahead file as SQLite does during recovery: frame by frame, each with a checksum over all frames before it, up to the last
 * complete commit. SQLite writes these checksums in the byte order of the machine. In a file from a machine of the other order it finds no commits.
 */
export const readWal = (path: string): WalCommits => {
  const found = { salts: [0, 0] as Pair, frames: 0, pages: 0, sums: new Map<number, number>() };
  const wal = opened(path);
  if (wal === undefined) return found;
  try {
    const header = Buffer.from(new ArrayBuffer(HEADER));
    if (readSync(wal, header, 0, HEADER, 0) < HEADER) return found;
    let sum = added([0, 0], header.subarray(0, 24));
    if ((header.readUInt32BE(0) & ~1) !== MAGIC || !samePair(sum, pairAt(header, 24))) return found;
    found.salts = pairAt(header, 16);
    const uncommitted = new Map<number, number>();
    let n = 0;
    for (const frame of frames(wal, FRAME_HEADER + header.readUInt32BE(8))) {
      n++;
      const content = frame.subarray(FRAME_HEADER);
      sum = added(added(sum, frame.subarray(0, 8)), content);
      const page = frame.readUInt32BE(0);
      if (page === 0 || !samePair(pairAt(frame, 8), found.salts) || !samePair(pairAt(frame, 16), sum)) break;
      uncommitted.set(page, clearedSum(content, page));
      // Zero, except in the last frame of a commit.
      const pages = frame.readUInt32BE(4);
      if (pages === 0) continue;
      for (const [written, crc] of uncommitted) found.sums.set(written, crc);
      uncommitted.clear();
      [found.frames, found.pages] = [n, pages];
    }
    return found;
  } finally {
    closeSync(wal);
  }
};

export const samePair = (one: Pair, other: Pair): boolean => one[0] === other[0] && one[1] === other[1];

const pairAt = (bytes: Buffer, at: number): Pair => [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];

const opened = (path: string): number | undefined => {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Yields whole frames. Each buffer is valid only until the next frame is read. */
function* frames(wal: number, size: number): Generator<Buffer> {
  const block = Buffer.from(new ArrayBuffer(size * FRAMES_AT_A_TIME));
  for (let at = HEADER; ; at += block.length) {
    const read = Math.floor(readSync(wal, block, 0, block.length, at) / size);
    for (let i = 0; i < read; i++) yield block.subarray(i * size, (i + 1) * size);
    if (read < FRAMES_AT_A_TIME) return;
  }
}

const added = (sum: Pair, bytes: Buffer): Pair => {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  let [a, b] = [sum[0] | 0, sum[1] | 0];
  for (let i = 0; i < words.length; i += 2) {
    // `?? 0` instead of the assertion makes this loop seven times slower.
    a = (a + b + (words[i] as number)) | 0;
    b = (b + a + (words[i + 1] as number)) | 0;
  }
  return [a >>> 0, b >>> 0];
};
