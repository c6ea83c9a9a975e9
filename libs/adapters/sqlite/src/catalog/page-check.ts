import { closeSync, openSync, statSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { catalogFiles } from './catalog-files.ts';
import { eachPage, PageSums } from './page-sums.ts';
import { sameSalts, WalFrames } from './wal-frames.ts';

/**
 * SQLite never reads or writes the page with this byte, because it keeps its locks there on some systems.
 * https://www.sqlite.org/fileformat2.html#lockbyte
 */
const LOCK_BYTES = 2 ** 30;

/**
 * Describes damage in the files of a closed catalog; undefined when there is none. Reads the whole file: about 2 GB/s
 * from memory.
 */
export const damageAtRest = (path: string): string | undefined => {
  const files = catalogFiles(path);
  if (statSync(files.database, { throwIfNoEntry: false })?.isFile() !== true) return undefined; // without a database, SQLite ignores the write-ahead file
  const sums = PageSums.read(files.sums);
  if (!sums) return 'the file with the checksums of its pages is missing or damaged';
  const wal = new WalFrames(files.wal);
  wal.read();
  const database = openSync(files.database, 'r');
  try {
    return lostFrames(wal, sums) ?? changedPages(database, sums, wal, 1, sums.pages);
  } finally {
    closeSync(database);
  }
};

/**
 * Detects a write-ahead file that lost frames which a checkpoint has moved to the database. SQLite would not notice, and would read
 * the remaining older frames instead of the newer pages in the database.
 */
export const lostFrames = ({ extent }: WalFrames, { wal }: PageSums): string | undefined =>
  sameSalts(extent.salts, wal.salts) && extent.frames < wal.frames ? `the write-ahead file ends after ${extent.frames} of ${wal.frames} frames` : undefined;

/** Checks only the pages that SQLite reads from the database and not from the write-ahead file. */
export const changedPages = (database: number, sums: PageSums, wal: WalFrames, first: number, count: number): string | undefined => {
  const last = Math.min(first + count - 1, sums.pages);
  const lockPage = Math.floor(LOCK_BYTES / sums.pageSize) + 1;
  let [next, changed] = [first, undefined as number | undefined];
  eachPage(database, sums.pageSize, first, last - first + 1, (page, bytes) => {
    next = page + 1;
    if (!wal.holds(page) && page !== lockPage && crc32(bytes) !== sums.of(page)) changed ??= page;
  });
  // Skip pages that are only in the write-ahead file so far.
  while (changed === undefined && next <= last && (wal.holds(next) || next === lockPage)) next++;
  if (changed === undefined && next > last) return undefined;
  return changed === undefined ? `the file ends before page ${next} of ${sums.pages}` : `page ${changed} of ${sums.pages} was changed`;
};
