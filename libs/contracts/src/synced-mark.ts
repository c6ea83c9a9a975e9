import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { generationId, partitionKey, position, tenantId, vectorScope, type IndexPartition, type Position } from '@palimpsest/knowledge';
import { syncFolder } from './durable-folders.ts';

/** A file as it lay there: its size in bytes, and when it was last changed, in nanoseconds. */
export type FileStamp = Readonly<{ name: string; size: bigint; modified: bigint }>;
/** What an index has on disk of a sound partition, to the last byte. `figures`: what else it needs to go without reading. */
export type SyncedPartition = Readonly<{ partition: IndexPartition; position: Position; files: readonly FileStamp[]; figures: Readonly<Record<string, number>> }>;

type Noted = readonly [tenant: string, scope: string, generation: string, position: string, files: readonly (readonly [string, string, string])[], figures: Record<string, number>];
type Forgotten = readonly [tenant: string, scope: string, generation: string];

/** Lines that say nothing any more are taken out when they are more than the others, and this many: each costs its share of one writing of all. */
const SUPERSEDED = 256;

/**
 * The mark of an index of many files: what of each partition is on disk. By it the next opening takes files unread that are as
 * they were, and knows of the others how far they went: no crash can have broken off what was synced.
 *
 * A file of lines, added to and synced: `<checksum> <json>`, the first one the format. A line that a crash broke off was never
 * relied upon; when anything else does not add up, nothing is believed. Calls may overlap.
 */
export class SyncedMark {
  readonly #path: string;
  readonly #format: string;
  /** What the file says, or more: never less. */
  readonly #noted = new Map<string, SyncedPartition>();
  readonly #staged = new Map<string, SyncedPartition>();
  #lines = 0;
  /** Whether the file can be added to. */
  #whole = false;
  #last: Promise<unknown> = Promise.resolve();

  /** @param format changes whenever files of an older version would not be taken as they are */
  constructor(path: string, format: string) {
    this.#path = path;
    this.#format = format;
  }

  /** What is noted. Nothing when there is no mark, or none that can be believed. */
  async open(): Promise<readonly SyncedPartition[]> {
    const text = await readFile(this.#path, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    });
    const lines = text.split('\n');
    const end = lines.pop();
    const [format, ...notes] = lines.map(checked);
    // What was being added when a crash came.
    const torn = notes.length > 0 && notes.at(-1) === undefined ? notes.splice(-1) : [];
    if (format !== this.#format || notes.includes(undefined)) return [];
    for (const note of notes as readonly (Noted | Forgotten)[]) this.#take(note);
    this.#lines = notes.length;
    this.#whole = end === '' && torn.length === 0;
    return [...this.#noted.values()];
  }

  /** To be noted with the next `commit`: what is on disk now. */
  stage(partition: SyncedPartition): void {
    this.#staged.set(partitionKey(partition.partition), partition);
  }

  /** Notes what is staged, durably. What could not be noted stays staged. */
  commit(): Promise<void> {
    return this.#next(async () => {
      const staged = [...this.#staged];
      if (staged.length === 0) return;
      for (const [key, one] of staged) this.#noted.set(key, one);
      await this.#add(staged.map(([, one]) => noted(one)));
      for (const [key, one] of staged) if (this.#staged.get(key) === one) this.#staged.delete(key);
    });
  }

  /** Forgets a partition, durably. Has to come before less of it may be found than was noted: removed, begun anew, written more closely. */
  forget(partition: IndexPartition): Promise<void> {
    const key = partitionKey(partition);
    this.#staged.delete(key);
    return this.#next(async () => {
      const before = this.#noted.get(key);
      if (before === undefined) return;
      this.#noted.delete(key);
      try {
        await this.#add([[partition.scope.tenant, partition.scope.scope, partition.generation]]);
      } catch (error) {
        this.#noted.set(key, before);
        throw error;
      }
    });
  }

  /** Forgets all of them, durably. */
  clear(): Promise<void> {
    this.#staged.clear();
    return this.#next(async () => {
      this.#whole = false;
      await rm(this.#path, { force: true });
      await syncFolder(dirname(this.#path));
      this.#noted.clear();
    });
  }

  async #add(notes: readonly (Noted | Forgotten)[]): Promise<void> {
    const rewrites = !this.#whole || this.#lines + notes.length > 2 * this.#noted.size + SUPERSEDED;
    this.#whole = false;
    if (rewrites) {
      await this.#rewrite([...this.#noted.values()].map(noted));
      this.#lines = this.#noted.size;
    } else {
      await writeSynced(this.#path, 'a', notes.map(line).join(''));
      this.#lines += notes.length;
    }
    this.#whole = true;
  }

  async #rewrite(notes: readonly Noted[]): Promise<void> {
    const draft = `${this.#path}.tmp`;
    await writeSynced(draft, 'w', [this.#format, ...notes].map(line).join(''));
    await rename(draft, this.#path);
    await syncFolder(dirname(this.#path));
  }

  #take(note: Noted | Forgotten): void {
    if (note.length === 3) this.#noted.delete(partitionKey(partitionOf(note)));
    else this.#noted.set(partitionKey(partitionOf(note)), read(note));
  }

  #next(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/**
 * The files of these names in a folder, as they lie there; those that do not exist are left out. At once, not in turns: a
 * thousand partitions take some ten milliseconds so, and a tenth of a second otherwise.
 */
export const fileStamps = (folder: string, names: readonly string[]): readonly FileStamp[] =>
  names.flatMap((name) => {
    const found = statSync(join(folder, name), { bigint: true, throwIfNoEntry: false });
    return found === undefined ? [] : [{ name, size: found.size, modified: found.mtimeNs }];
  });

export const sameStamps = (one: readonly FileStamp[], other: readonly FileStamp[]): boolean =>
  one.length === other.length && one.every(({ name, size, modified }, i) => name === other[i]?.name && size === other[i].size && modified === other[i].modified);

/** The name of a file that is gone, or shorter by more than `slack` bytes: those that a note of its own takes, which is not synced with what it is about. */
export const shortened = (before: readonly FileStamp[], now: readonly FileStamp[], slack: number): string | undefined =>
  before.find(({ name, size }) => (now.find((file) => file.name === name)?.size ?? -1n) + BigInt(slack) < size)?.name;

const noted = ({ partition: { scope, generation }, position: at, files, figures }: SyncedPartition): Noted => [
  scope.tenant, scope.scope, generation, String(at), files.map(({ name, size, modified }) => [name, String(size), String(modified)] as const), figures,
];

const partitionOf = ([tenant, scope, generation]: Noted | Forgotten): IndexPartition => ({
  scope: { tenant: tenantId(tenant), scope: vectorScope(scope) }, generation: generationId(generation),
});

const read = (note: Noted): SyncedPartition => {
  const [, , , at, files, figures] = note;
  return { partition: partitionOf(note), position: position(at), files: files.map(([name, size, modified]) => ({ name, size: BigInt(size), modified: BigInt(modified) })), figures };
};

const line = (content: unknown): string => {
  const json = JSON.stringify(content);
  return `${checksumOf(json)} ${json}\n`;
};

/** What a line says; undefined when it is not what was written. */
const checked = (text: string): unknown => {
  const at = text.indexOf(' ');
  const json = text.slice(at + 1);
  return at > 0 && text.slice(0, at) === checksumOf(json) ? JSON.parse(json) : undefined;
};

const checksumOf = (json: string): string => createHash('sha256').update(json).digest('hex').slice(0, 32);

const writeSynced = async (path: string, how: 'a' | 'w', text: string): Promise<void> => {
  const file = await open(path, how);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
};
