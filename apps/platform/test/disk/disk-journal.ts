import { readFileSync } from 'node:fs';

/** One change to the disk, as the shim notes it. */
export type DiskRecord = Readonly<{
  /** "log wal", "blob draft", … from tools/disk-faults/path-classes.txt; "?" when that does not know the path, "!child" for another process. */
  class: string;
  operation: 'create' | 'write' | 'truncate' | 'sync' | 'rename' | 'link' | 'unlink' | 'mkdir' | 'rmdir';
  /** "ok", "short", or the error that was played: then nothing happened. */
  result: string;
  inode: string;
  /** Of a write: where; of a truncation: the new size; of names: the inode that lost its name there, 0 for none. */
  offset: number;
  sizeBefore: number;
  /** The bytes that were there and those that are there now, where a power cut is to be played. */
  before: Buffer;
  after: Buffer;
  /** Below the data folder. */
  path: string;
  other: string;
}>;

export const nameOf = (record: DiskRecord): string => `${record.class} ${record.operation}`;

const HEAD = /^[^\t]+\t(?:create|write|truncate|sync|rename|link|unlink|mkdir|rmdir)\t(?:ok|short|EIO|ENOSPC)\t\d+\t-?\d+\t\d+\t\d+\t\d+\t[^\t]*\t[^\t]*$/;

/**
 * What was done, in order. A last record that a kill cut off is left out: what it tells of was not finished, or has no effect.
 * @throws Error when anything else is not as the shim writes it: a power cut that is played by half of the notes takes what nobody's disk would take
 */
export const readDiskJournal = (file: string): readonly DiskRecord[] => {
  const bytes = readFileSync(file);
  const records: DiskRecord[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(10, at);
    if (end < 0) break;
    const head = bytes.toString('utf8', at, end);
    if (!HEAD.test(head)) throw new Error(`the notes of the disk cannot be read at byte ${at} of ${bytes.length}: ${JSON.stringify(head.slice(0, 200))}`);
    const [kind = '', operation = '', result = '', inode = '', offset = '', sizeBefore = '', before = '', after = '', path = '', other = ''] = head.split('\t');
    const middle = end + 1 + Number(before);
    at = middle + Number(after);
    if (at > bytes.length) break;
    records.push({
      class: kind, operation: operation as DiskRecord['operation'], result, inode, offset: Number(offset), sizeBefore: Number(sizeBefore),
      before: bytes.subarray(end + 1, middle), after: bytes.subarray(middle, at), path, other,
    });
  }
  return records;
};
