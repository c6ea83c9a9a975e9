import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { open, readFile, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { generationId, position, tenantId, vectorScope, type IndexPartition, type Position } from '@palimpsest/knowledge';
import { syncFolder } from './durable-folders.ts';

/** A file as it lay there: its size in bytes, and when it was last changed, in nanoseconds. */
export type FileStamp = Readonly<{ name: string; size: bigint; modified: bigint }>;

/** What an index knew of a sound partition when it was closed in good order. `figures`: what else it needs to go without reading. */
export type ClosedPartition = Readonly<{ partition: IndexPartition; position: Position; files: readonly FileStamp[]; figures: Readonly<Record<string, number>> }>;

type Written = Readonly<{ format: string; partitions: readonly (readonly [tenant: string, scope: string, generation: string, position: string, files: readonly (readonly [string, string, string])[], figures: Record<string, number>])[] }>;

/**
 * The mark that an index of many files leaves when it is closed in good order: what it held, so that the next opening need not
 * read all of it. It is there only while the index is closed: after a kill there is none, and everything is read through.
 * First line: SHA-256 of the second, JSON.
 */
export class CleanClose {
  readonly #path: string;
  readonly #format: string;

  /** @param format changes whenever files of an older version would not be taken as they are */
  constructor(path: string, format: string) {
    this.#path = path;
    this.#format = format;
  }

  /** Answers what the mark says, and removes it, durably. Nothing when there is none, or none that can be trusted. */
  async take(): Promise<readonly ClosedPartition[]> {
    const text = await readFile(this.#path, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) return [];
    await rm(this.#path, { force: true });
    await syncFolder(dirname(this.#path));
    const [checksum, json = ''] = text.split('\n');
    if (checksum !== checksumOf(json)) return [];
    const { format, partitions } = JSON.parse(json) as Written;
    return format === this.#format ? partitions.map(read) : [];
  }

  /** Leaves the mark, durably: with the last change before the closing. Only of what is on disk to the last byte. */
  async leave(partitions: readonly ClosedPartition[]): Promise<void> {
    const json = JSON.stringify({ format: this.#format, partitions: partitions.map(written) } satisfies Written);
    const draft = `${this.#path}.tmp`;
    await using(await open(draft, 'w'), async (file) => {
      await file.writeFile(`${checksumOf(json)}\n${json}`);
      await file.sync();
    });
    await rename(draft, this.#path);
    await syncFolder(dirname(this.#path));
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

const written = ({ partition: { scope, generation }, position: at, files, figures }: ClosedPartition): Written['partitions'][number] => [
  scope.tenant, scope.scope, generation, String(at), files.map(({ name, size, modified }) => [name, String(size), String(modified)] as const), figures,
];

const read = ([tenant, scope, generation, at, files, figures]: Written['partitions'][number]): ClosedPartition => ({
  partition: { scope: { tenant: tenantId(tenant), scope: vectorScope(scope) }, generation: generationId(generation) },
  position: position(at),
  files: files.map(([name, size, modified]) => ({ name, size: BigInt(size), modified: BigInt(modified) })),
  figures,
});

const checksumOf = (json: string): string => createHash('sha256').update(json).digest('hex');

const using = async (file: FileHandle, work: (file: FileHandle) => Promise<void>): Promise<void> => {
  try {
    await work(file);
  } finally {
    await file.close();
  }
};
