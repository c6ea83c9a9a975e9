import { closeSync, fsyncSync, openSync, readFileSync, readSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncFolderSync as syncFolder } from '@palimpsest/foundation';
import type { WalExtent, WalPages } from './wal-frames.ts';

/** Magic, page size, number of pages, the two salts and the frame count of the write-ahead file; the checksums; a CRC-32 of the whole. */
const MAGIC = 'PalPage1';
const HEADER = 28;
const BLOCK = 1 << 20;

/**
 * The CRC-32 of each page of the database file after a checkpoint of all frames up to `wal`. SQLite has no checksums in its pages:
 * without these, a changed byte would lead to a wrong row or a missing one.
 */
export class PageSums {
  readonly pageSize: number;
  #sums: Uint32Array;
  #pages: number;
  #wal: WalExtent;

  constructor(pageSize: number, sums: Uint32Array, wal: WalExtent) {
    this.pageSize = pageSize;
    this.#sums = sums;
    this.#pages = sums.length;
    this.#wal = wal;
  }

  get pages(): number {
    return this.#pages;
  }

  get wal(): WalExtent {
    return this.#wal;
  }

  /** Pages are numbered from 1. */
  of(page: number): number | undefined {
    return page <= this.#pages ? this.#sums[page - 1] : undefined;
  }

  update({ pages, sums }: WalPages, wal: WalExtent): void {
    if (pages > this.#sums.length) {
      const larger = new Uint32Array(Math.max(pages, Math.ceil(this.#sums.length * 1.5)));
      larger.set(this.#sums);
      this.#sums = larger;
    }
    for (const [page, sum] of sums) if (page <= this.#sums.length) this.#sums[page - 1] = sum;
    this.#pages = pages;
    this.#wal = wal;
  }

  /** The checksums are durable when it returns. After a kill the file holds either the previous checksums or these. */
  write(path: string): void {
    const bytes = Buffer.alloc(HEADER + 4 * this.#pages + 4);
    bytes.write(MAGIC, 'latin1');
    [this.pageSize, this.#pages, ...this.#wal.salts, this.#wal.frames].forEach((value, i) => bytes.writeUInt32LE(value, 8 + 4 * i));
    for (let i = 0; i < this.#pages; i++) bytes.writeUInt32LE(this.#sums[i] ?? 0, HEADER + 4 * i);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
    const draft = `${path}.tmp`;
    const file = openSync(draft, 'w', 0o600);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
    syncFolder(dirname(path));
  }

  /** Returns undefined when the file does not exist or is damaged. */
  static read(path: string): PageSums | undefined {
    const bytes = contents(path);
    if (bytes === undefined || bytes.length < HEADER + 4 || bytes.toString('latin1', 0, 8) !== MAGIC) return undefined;
    if (bytes.readUInt32LE(bytes.length - 4) !== crc32(bytes.subarray(0, -4))) return undefined;
    const [pageSize = 0, pages = 0, salt = 0, other = 0, frames = 0] = Array.from({ length: 5 }, (_, i) => bytes.readUInt32LE(8 + 4 * i));
    if (bytes.length !== HEADER + 4 * pages + 4) return undefined;
    return new PageSums(pageSize, Uint32Array.from({ length: pages }, (_, i) => bytes.readUInt32LE(HEADER + 4 * i)), { salts: [salt, other], frames });
  }

  /** Computes the checksums of a file. The file must be new, and no process may write to it. */
  static ofFile(path: string): PageSums {
    const sums: number[] = [];
    let pageSize = 0;
    const file = openSync(path, 'r');
    try {
      pageSize = pageSizeOf(file);
      eachPage(file, pageSize, 1, Number.MAX_SAFE_INTEGER, (_, bytes) => void sums.push(crc32(bytes)));
    } finally {
      closeSync(file);
    }
    return new PageSums(pageSize, Uint32Array.from(sums), { salts: [0, 0], frames: 0 });
  }
}

/** Visits whole pages from `first` on: at most `count`, or as many as the file has. */
export const eachPage = (file: number, pageSize: number, first: number, count: number, visit: (page: number, bytes: Buffer) => void): void => {
  const block = Buffer.alloc(Math.max(pageSize, BLOCK));
  for (let page = first; page < first + count; ) {
    const wanted = Math.min(block.length / pageSize, first + count - page);
    const found = Math.floor(readSync(file, block, 0, wanted * pageSize, (page - 1) * pageSize) / pageSize);
    for (let i = 0; i < found; i++) visit(page + i, block.subarray(i * pageSize, (i + 1) * pageSize));
    if (found < wanted) return;
    page += found;
  }
};

/** Reads the page size from the header of a database. */
const pageSizeOf = (file: number): number => {
  const header = Buffer.alloc(2);
  readSync(file, header, 0, 2, 16);
  const size = header.readUInt16BE(0);
  return size === 1 ? 65_536 : size;
};

const contents = (path: string): Buffer | undefined => {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};
