import { closeSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { catalogFiles } from './catalog-files.ts';
import { PAGE_BYTES } from './catalog-schema.ts';
import { PageSums } from './page-sums.ts';
import { readWal, samePair } from './wal-frames.ts';

/** SQLite never reads or writes the page with byte 2^30, because it keeps its locks there on some systems: https://www.sqlite.org/fileformat2.html#lockbyte */
const LOCK_PAGE = 2 ** 30 / PAGE_BYTES + 1;
const PAGES_AT_A_TIME = 256;

/** Describes damage in the files of a closed catalog; undefined when there is none. Reads the whole file: about 2 GB/s from memory. */
export const damageAtRest = (path: string): string | undefined => {
  const files = catalogFiles(path);
  const sums = PageSums.read(files.sums);
  if (!sums) return 'the file with the checksums of its pages is missing or damaged';
  const wal = readWal(files.wal);
  // SQLite would read the remaining frames instead of newer pages that a checkpoint has moved to the database.
  if (samePair(wal.salts, sums.wal.salts) && wal.frames < sums.wal.frames)
    return `the write-ahead file ends after ${wal.frames} of ${sums.wal.frames} frames`;
  const database = openSync(files.database, 'r');
  try {
    return changedPages(database, sums, wal.sums, 1, sums.pages);
  } finally {
    closeSync(database);
  }
};

/** Describes damage to `count` pages from `first` on. Skips pages that SQLite reads from the write-ahead file. */
export const changedPages = (
  database: number,
  sums: PageSums,
  inWal: ReadonlyMap<number, unknown>,
  first: number,
  count: number,
): string | undefined => {
  const block = Buffer.alloc(PAGES_AT_A_TIME * PAGE_BYTES);
  const last = Math.min(first + count - 1, sums.pages);
  for (let page = first; page <= last; page += PAGES_AT_A_TIME) {
    const bytes = readSync(database, block, 0, Math.min(PAGES_AT_A_TIME, last - page + 1) * PAGE_BYTES, (page - 1) * PAGE_BYTES);
    for (let at = page; at <= last && at < page + PAGES_AT_A_TIME; at++) {
      if (inWal.has(at) || at === LOCK_PAGE) continue;
      const from = (at - page) * PAGE_BYTES;
      if (from + PAGE_BYTES > bytes) return `the file ends before page ${at} of ${sums.pages}`;
      if (crc32(block.subarray(from, from + PAGE_BYTES)) !== sums.of(at)) return `page ${at} of ${sums.pages} was changed`;
    }
  }
  return undefined;
};
