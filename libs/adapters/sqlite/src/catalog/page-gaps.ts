import { fsyncSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { PAGE_BYTES } from './catalog-schema.ts';

/** By the first byte of a page of a b-tree: the size of its header. https://www.sqlite.org/fileformat2.html#b_tree_pages */
const HEADER_BYTES = new Map([
  [2, 12],
  [5, 12],
  [10, 8],
  [13, 8],
]);
/** The first page begins with the header of the file. */
const FILE_HEADER_BYTES = 100;
const CELLS_AT = 3;
const CONTENT_AT = 5;

const ZEROS = Buffer.alloc(PAGE_BYTES);

type Gap = Readonly<{ from: number; to: number }>;

/**
 * The unused space between the header of a b-tree page and its rows. When SQLite splits or merges pages, it leaves copies of rows there,
 * in spite of `secure_delete`: https://sqlite.org/pragma.html#pragma_secure_delete. It never reads them. Undefined for pages of other kinds.
 */
const gapOf = (content: Buffer, page: number): Gap | undefined => {
  const at = page === 1 ? FILE_HEADER_BYTES : 0;
  // Other pages that contain anything begin with the number of a page, whose first byte is 0 or 1 (`MAX_PAGES`).
  const header = HEADER_BYTES.get(content.readUInt8(at));
  if (header === undefined) return undefined;
  const from = at + header + 2 * content.readUInt16BE(at + CELLS_AT);
  const to = content.readUInt16BE(at + CONTENT_AT);
  return from < to && to <= PAGE_BYTES ? { from, to } : undefined;
};

/** The CRC-32 of a page as `clearGaps` leaves it. */
export const clearedSum = (content: Buffer, page: number): number => {
  const gap = gapOf(content, page);
  if (gap === undefined) return crc32(content);
  const before = crc32(ZEROS.subarray(gap.from, gap.to), crc32(content.subarray(0, gap.from)));
  return crc32(content.subarray(gap.to), before);
};

/**
 * Writes zeros to the unused space of these pages of an open database file, durably. Connections may read these pages meanwhile. None
 * may have a newer version of them that is not in the file, and none may write.
 */
export const clearGaps = (database: number, pages: Iterable<number>): void => {
  const content = Buffer.alloc(PAGE_BYTES);
  let cleared = false;
  for (const page of pages) {
    const start = (page - 1) * PAGE_BYTES;
    if (readSync(database, content, 0, PAGE_BYTES, start) < PAGE_BYTES) continue; // beyond the end of the file
    const gap = gapOf(content, page);
    if (gap === undefined || content.compare(ZEROS, gap.from, gap.to, gap.from, gap.to) === 0) continue;
    writeSync(database, ZEROS, gap.from, gap.to - gap.from, start + gap.from);
    cleared = true;
  }
  if (cleared) fsyncSync(database);
};
