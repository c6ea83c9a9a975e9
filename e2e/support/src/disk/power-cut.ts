import {
  closeSync,
  existsSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { DiskRecord } from './disk-journal.ts';

/** Decides which unsynced changes survive the power cut nevertheless. */
export type Survives = (record: DiskRecord) => boolean;
export const NOTHING_SURVIVES: Survives = () => false;

/**
 * Turns a folder into what a power cut leaves of it. Bytes survive that were written before a sync of their file, and changes of names
 * before a sync of their folder. All other changes are lost, unless `survives` keeps them.
 * @param kept the folder where the shim keeps files that lost their last name
 * @returns the number of lost changes
 */
export const cutPower = (root: string, kept: string, records: readonly DiskRecord[], survives: Survives = NOTHING_SURVIVES): number => {
  const done = records.filter(({ result, operation }) => (result === 'ok' || result === 'short') && operation !== 'sync');
  const durable = durableOf(records, survives);
  const first = done.findIndex((record) => !durable.has(record));
  if (first < 0) return 0;
  const later = done.slice(first);
  backAndForth(root, kept, later, (record) => durable.has(record));
  return later.filter((record) => !durable.has(record)).length;
};

/** Undoes all changes in reverse order, then repeats the wanted ones. */
export const backAndForth = (root: string, kept: string, done: readonly DiskRecord[], wanted: (record: DiskRecord) => boolean): void => {
  const disk = new Disk(root, kept);
  for (const record of [...done].reverse()) disk.undo(record);
  for (const record of done) if (wanted(record)) disk.redo(record);
};

/** Shared memory and locks of SQLite: "~" in path-classes.txt. */
export const VOLATILE = /\.db-shm$|\.lock$/;
const CONTENT = new Set<DiskRecord['operation']>(['write', 'truncate']);

/** The folder whose sync makes a change of names durable; for a rename, the new folder. */
const folderOf = ({ operation, path, other, class: kind }: DiskRecord): string => {
  const name = operation === 'rename' || operation === 'link' ? other : path;
  return kind === 'data folder' && name === '' ? '..' : dirname(name);
};

/**
 * The changes that were synced later. Bytes whose sync failed stay lost after a later sync, because the kernel treats them as clean. For
 * names a later sync counts: they belong to the file system, which retries or stops.
 */
const durableOf = (records: readonly DiskRecord[], survives: Survives): ReadonlySet<DiskRecord> => {
  const durable = new Set<DiskRecord>();
  const waiting = new Map<string, DiskRecord[]>();
  for (const record of records) {
    if (record.operation === 'sync') {
      for (const key of syncedBy(record)) {
        for (const one of record.result === 'ok' ? (waiting.get(key) ?? []) : []) durable.add(one);
        if (record.result === 'ok' || key.startsWith('bytes')) waiting.delete(key);
      }
      continue;
    }
    if (record.result !== 'ok' && record.result !== 'short') continue;
    if (isDurableImmediately(record) || survives(record)) durable.add(record);
    const key = waitsFor(record);
    const list = waiting.get(key);
    if (list) list.push(record);
    else waiting.set(key, [record]);
  }
  return durable;
};

/** The data folder itself and its parents are not ours; and a truncation to the same size is no change. */
const isDurableImmediately = ({ class: kind, operation, offset, sizeBefore }: DiskRecord): boolean =>
  kind === 'data folder' || (operation === 'truncate' && offset === sizeBefore);

const waitsFor = (record: DiskRecord): string => (CONTENT.has(record.operation) ? `bytes ${record.inode}` : `names ${folderOf(record)}`);

const syncedBy = ({ inode, path }: DiskRecord): readonly string[] => [`bytes ${inode}`, `names ${path === '' ? '.' : path}`];

/** Undoes and repeats changes: of bytes by inode, of names by path. The target may be missing if its name was lost. */
class Disk {
  readonly #root: string;
  readonly #kept: string;
  readonly #paths = new Map<string, string>();

  constructor(root: string, kept: string) {
    this.#root = root;
    this.#kept = kept;
    this.#find(kept);
    this.#find(root);
  }

  undo(record: DiskRecord): void {
    const path = join(this.#root, record.path);
    const other = join(this.#root, record.other);
    switch (record.operation) {
      case 'write':
        return this.#write(record, record.before, record.offset, record.sizeBefore);
      case 'truncate':
        return this.#write(record, record.before, record.sizeBefore - record.before.length, record.sizeBefore);
      case 'create':
        return this.#unname(path);
      case 'mkdir':
        return this.#removeFolder(path);
      case 'rmdir':
        return void (existsSync(path) || mkdirSync(path, { mode: 0o700 }));
      case 'link':
        return this.#unname(other);
      case 'unlink':
        return this.#name(record.inode, path);
      case 'rename':
        if (existsSync(other)) renameSync(other, path);
        return record.offset === 0 ? undefined : this.#name(String(record.offset), other);
      default:
        return undefined;
    }
  }

  redo(record: DiskRecord): void {
    const path = join(this.#root, record.path);
    const other = join(this.#root, record.other);
    const parentExists = existsSync(dirname(record.operation === 'rename' || record.operation === 'link' ? other : path));
    switch (record.operation) {
      case 'write':
        return this.#write(record, record.after, record.offset);
      case 'truncate':
        return this.#write(record, Buffer.alloc(0), 0, record.offset);
      case 'create':
        return parentExists ? this.#name(record.inode, path) : undefined;
      case 'mkdir':
        return void (parentExists && !existsSync(path) && mkdirSync(path, { mode: 0o700 }));
      case 'rmdir':
        return void (existsSync(path) && readdirSync(path).length === 0 && rmdirSync(path));
      case 'link':
        return parentExists ? this.#name(record.inode, other) : undefined;
      case 'unlink':
        return this.#unname(path);
      case 'rename':
        if (!parentExists) return undefined;
        if (existsSync(path)) return renameSync(path, other);
        return this.#name(record.inode, other, true);
      default:
        return undefined;
    }
  }

  #find(folder: string): void {
    for (const entry of existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) this.#hold(String(lstatSync(path).ino), path);
    }
  }

  /** Links each file outside of the folder, so that its content remains while its names are removed and created. */
  #hold(inode: string, path: string): void {
    const held = join(this.#kept, inode);
    if (!existsSync(held)) linkSync(path, held);
    this.#paths.set(inode, held);
  }

  #name(inode: string, path: string, instead = false): void {
    const held = this.#paths.get(inode);
    if (held === undefined) throw new Error(`the power cut cannot be simulated: inode ${inode} (formerly ${path}) was not kept`);
    if (existsSync(path)) {
      if (!instead) return;
      unlinkSync(path);
    }
    linkSync(held, path);
  }

  /** Volatile files are not in the journal, so they are removed with their folder. */
  #removeFolder(path: string): void {
    if (!existsSync(path)) return;
    for (const name of readdirSync(path)) if (VOLATILE.test(name)) unlinkSync(join(path, name));
    rmdirSync(path);
  }

  #unname(path: string): void {
    if (existsSync(path)) unlinkSync(path);
  }

  #write({ inode }: DiskRecord, bytes: Buffer, at: number, size?: number): void {
    const held = this.#paths.get(inode);
    if (held === undefined) return;
    const file = openSync(held, 'r+');
    try {
      for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done, bytes.length - done, at + done);
      if (size !== undefined) ftruncateSync(file, size);
    } finally {
      closeSync(file);
    }
  }
}
