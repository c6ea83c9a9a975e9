import { closeSync, openSync, statSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { catalogFiles } from './catalog-files.ts';
import { eachPage, PageSums } from './page-sums.ts';
import { sameSalts, WalFrames } from './wal-frames.ts';

/** The page with this byte is never written to, nor read: where a system has no other locks than those on bytes, SQLite's are there. https://www.sqlite.org/fileformat2.html#lockbyte */
const LOCK_BYTES = 2 ** 30;

/**
 * What is not as it was written in the files of a catalogue that nobody has open, in words; undefined when all is. Reads
 * all of it: some 2 GB/s from memory.
 */
export const damageAtRest = (path: string): string | undefined => {
  const files = catalogFiles(path);
  if (statSync(files.database, { throwIfNoEntry: false })?.isFile() !== true) return undefined; // SQLite takes no write-ahead file without one
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
 * Old frames that are left of a write-ahead file whose later ones were taken into the database would be read instead of what is
 * newer there; SQLite does not notice.
 */
export const lostFrames = ({ extent }: WalFrames, { wal }: PageSums): string | undefined =>
  sameSalts(extent.salts, wal.salts) && extent.frames < wal.frames ? `the write-ahead file ends after ${extent.frames} of ${wal.frames} frames` : undefined;

/** Of the pages that SQLite reads from the database, and not from the write-ahead file. */
export const changedPages = (database: number, sums: PageSums, wal: WalFrames, first: number, count: number): string | undefined => {
  const last = Math.min(first + count - 1, sums.pages);
  const locks = Math.floor(LOCK_BYTES / sums.pageSize) + 1;
  let [next, changed] = [first, undefined as number | undefined];
  eachPage(database, sums.pageSize, first, last - first + 1, (page, bytes) => {
    next = page + 1;
    if (!wal.holds(page) && page !== locks && crc32(bytes) !== sums.of(page)) changed ??= page;
  });
  // Pages that are only in the write-ahead file so far.
  while (changed === undefined && next <= last && (wal.holds(next) || next === locks)) next++;
  if (changed === undefined && next > last) return undefined;
  return changed === undefined ? `the file ends before page ${next} of ${sums.pages}` : `page ${changed} of ${sums.pages} was changed`;
};
