import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncFolderSync as syncFolder } from '@palimpsest/foundation';
import { PAGE_BYTES } from './catalog-schema.ts';
import type { WalCommits, WalExtent } from './wal-frames.ts';

/** Magic, size and number of pages, the two salts and the frame count of the write-ahead file; the checksums; a CRC-32 of the whole. */
const MAGIC = 'PalPage1';
const HEADER = 28;

/**
 * The CRC-32 of each page of the database file after a checkpoint of all frames up to `wal`. SQLite has no checksums in its pages:
 * without these, a changed byte would lead to a wrong row or a missing one.
 */
export class PageSums {
  #sums: Uint32Array;
  #pages: number;
  #wal: WalExtent;

  /** Without `sums`: of a new database, whose pages are all in the write-ahead file. */
  constructor(sums = new Uint32Array(), wal: WalExtent = { salts: [0, 0], frames: 0 }) {
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

  update({ pages, sums, salts, frames }: WalCommits): void {
    if (pages > this.#sums.length) {
      const larger = new Uint32Array(Math.max(pages, Math.ceil(this.#sums.length * 1.5)));
      larger.set(this.#sums);
      this.#sums = larger;
    }
    for (const [page, sum] of sums) if (page <= this.#sums.length) this.#sums[page - 1] = sum;
    this.#pages = pages;
    this.#wal = { salts, frames };
  }

  /** The checksums are durable when it returns. After a kill the file holds either the previous checksums or these. */
  write(path: string): void {
    const bytes = Buffer.alloc(HEADER + 4 * this.#pages + 4);
    bytes.write(MAGIC, 'latin1');
    [PAGE_BYTES, this.#pages, ...this.#wal.salts, this.#wal.frames].forEach((value, i) => bytes.writeUInt32LE(value, 8 + 4 * i));
    for (let i = 0; i < this.#pages; i++) bytes.writeUInt32LE(this.#sums[i] ?? 0, HEADER + 4 * i);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
    const draft = `${path}.tmp`;
    const file = openSync(draft, 'w', 0o600);
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
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
    const [pageBytes, pages = 0, salt = 0, other = 0, frames = 0] = Array.from({ length: 5 }, (_, i) => bytes.readUInt32LE(8 + 4 * i));
    if (pageBytes !== PAGE_BYTES) return undefined;
    return new PageSums(
      Uint32Array.from({ length: pages }, (_, i) => bytes.readUInt32LE(HEADER + 4 * i)),
      { salts: [salt, other], frames },
    );
  }
}

const contents = (path: string): Buffer | undefined => {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};
