import { readFileSync } from 'node:fs';

/** One change to the disk, as recorded by the shim. */
export type DiskRecord = Readonly<{
  /** "log wal", "blob draft", … from tools/disk-faults/path-classes.txt; "?" for an unknown path, "!child" for another process. */
  class: string;
  operation: 'create' | 'write' | 'truncate' | 'sync' | 'rename' | 'link' | 'unlink' | 'mkdir' | 'rmdir';
  /** "ok", "short", or the injected error; after an error nothing was changed. */
  result: string;
  inode: string;
  /** For a write: its offset; for a truncation: the new size; for a change of names: the inode that lost its name, 0 for none. */
  offset: number;
  sizeBefore: number;
  /** The old and the new bytes, if a power cut is to be simulated. */
  before: Buffer;
  after: Buffer;
  /** Relative to the data folder. */
  path: string;
  other: string;
}>;

export const nameOf = (record: DiskRecord): string => `${record.class} ${record.operation}`;

const HEAD =
  /^[^\t]+\t(?:create|write|truncate|sync|rename|link|unlink|mkdir|rmdir)\t(?:ok|short|EIO|ENOSPC)\t\d+\t-?\d+\t\d+\t\d+\t\d+\t[^\t]*\t[^\t]*$/;

/**
 * The changes in order. A last record that a kill truncated is left out: its change was not finished, or has no effect.
 * @throws Error if any other record is malformed: a power cut simulated from an incomplete journal would lose data that no real disk loses
 */
export const readDiskJournal = (file: string): readonly DiskRecord[] => {
  const bytes = readFileSync(file);
  const records: DiskRecord[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at);
    if (end < 0) break;
    const head = bytes.toString('utf8', at, end);
    if (!HEAD.test(head))
      throw new Error(`the disk journal cannot be read at byte ${at} of ${bytes.length}: ${JSON.stringify(head.slice(0, 200))}`);
    const [
      kind = '',
      operation = '',
      result = '',
      inode = '',
      offset = '',
      sizeBefore = '',
      before = '',
      after = '',
      path = '',
      other = '',
    ] = head.split('\t');
    const middle = end + 1 + Number(before);
    at = middle + Number(after);
    if (at > bytes.length) break;
    records.push({
      class: kind,
      operation: operation as DiskRecord['operation'],
      result,
      inode,
      offset: Number(offset),
      sizeBefore: Number(sizeBefore),
      before: bytes.subarray(end + 1, middle),
      after: bytes.subarray(middle, at),
      path,
      other,
    });
  }
  return records;
};
