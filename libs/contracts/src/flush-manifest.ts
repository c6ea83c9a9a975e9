import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ifCode, Mutex, replaceFile, syncFolder, writeSynced, type FileStamp } from '@palimpsest/foundation';
import { partitionKey, type IndexPartition } from '@palimpsest/knowledge/read-models';
import { generationId, position, tenantId, vectorScope, type Position } from '@palimpsest/knowledge/values';

/** The exact files of an intact partition. `figures`: other values that the index needs to avoid reading the files. */
export type FlushedPartition = Readonly<{
  partition: IndexPartition;
  position: Position;
  files: readonly FileStamp[];
  figures: Readonly<Record<string, number>>;
}>;

type Entry = readonly [
  tenant: string,
  scope: string,
  generation: string,
  position: string,
  files: readonly (readonly [string, string, string])[],
  figures: Record<string, number>,
];
type Removal = readonly [tenant: string, scope: string, generation: string];

/** The file is rewritten when it has this many more outdated lines than current ones. This amortizes the cost of rewriting. */
const MAX_OUTDATED = 256;

/**
 * Records which files of each partition of an index are completely on disk. The next opening uses unchanged files without reading them,
 * and knows for all others what was on disk: a crash cannot truncate synced data.
 *
 * A synced append-only file of lines `<checksum> <json>`. The first line is the format. An incomplete last line is ignored, since the
 * crash happened before anything relied on it. Any other inconsistency invalidates the whole file. Calls may overlap.
 */
export class FlushManifest {
  readonly #path: string;
  readonly #format: string;
  /** At least all entries of the file. */
  readonly #recorded = new Map<string, FlushedPartition>();
  readonly #staged = new Map<string, FlushedPartition>();
  #lines = 0;
  /** Whether lines can be appended to the file. */
  #appendable = false;
  readonly #changes = new Mutex();

  /** @param format must change when files of an older version cannot be used unchanged */
  constructor(path: string, format: string) {
    this.#path = path;
    this.#format = format;
  }

  /** Returns the recorded partitions; none if the file is missing or invalid. */
  async open(): Promise<readonly FlushedPartition[]> {
    const text = await readFile(this.#path, 'utf8').catch(ifCode('ENOENT', ''));
    const lines = text.split('\n');
    const end = lines.pop();
    const [format, ...entries] = lines.map(checked);
    // An incomplete line from a crash.
    const torn = entries.length > 0 && entries.at(-1) === undefined ? entries.splice(-1) : [];
    if (format !== this.#format || !entries.every(isEntry)) return [];
    for (const entry of entries) this.#apply(entry);
    this.#lines = entries.length;
    this.#appendable = end === '' && torn.length === 0;
    return [...this.#recorded.values()];
  }

  /** Stages the current files of a partition for the next `commit`. */
  stage(partition: FlushedPartition): void {
    this.#staged.set(partitionKey(partition.partition), partition);
  }

  /** Records the staged partitions durably. If that fails, they stay staged. */
  commit(): Promise<void> {
    return this.#changes.run(async () => {
      const staged = [...this.#staged];
      if (staged.length === 0) return;
      for (const [key, one] of staged) this.#recorded.set(key, one);
      await this.#add(staged.map(([, one]) => entryOf(one)));
      for (const [key, one] of staged) if (this.#staged.get(key) === one) this.#staged.delete(key);
    });
  }

  /** Removes a partition durably. Must be called before its files may shrink: before they are deleted, recreated or compacted. */
  forget(partition: IndexPartition): Promise<void> {
    const key = partitionKey(partition);
    this.#staged.delete(key);
    return this.#changes.run(async () => {
      const before = this.#recorded.get(key);
      if (before === undefined) return;
      this.#recorded.delete(key);
      try {
        await this.#add([[partition.scope.tenant, partition.scope.scope, partition.generation]]);
      } catch (error) {
        this.#recorded.set(key, before);
        throw error;
      }
    });
  }

  /** Removes all partitions durably. */
  clear(): Promise<void> {
    this.#staged.clear();
    return this.#changes.run(async () => {
      this.#appendable = false;
      await rm(this.#path, { force: true });
      await syncFolder(dirname(this.#path));
      this.#recorded.clear();
    });
  }

  async #add(entries: readonly (Entry | Removal)[]): Promise<void> {
    const rewrites = !this.#appendable || this.#lines + entries.length > 2 * this.#recorded.size + MAX_OUTDATED;
    this.#appendable = false;
    if (rewrites) {
      await replaceFile(this.#path, [bytesOf([this.#format, ...[...this.#recorded.values()].map(entryOf)])]);
      this.#lines = this.#recorded.size;
    } else {
      await writeSynced(this.#path, [bytesOf(entries)], 'a');
      this.#lines += entries.length;
    }
    this.#appendable = true;
  }

  #apply(entry: Entry | Removal): void {
    if (entry.length === 3) this.#recorded.delete(partitionKey(partitionOf(entry)));
    else this.#recorded.set(partitionKey(partitionOf(entry)), read(entry));
  }
}

/** Anything else, for example the first line again, is damage. */
const isEntry = (content: unknown): content is Entry | Removal => Array.isArray(content) && (content.length === 3 || content.length === 6);

const entryOf = ({ partition: { scope, generation }, position: at, files, figures }: FlushedPartition): Entry => [
  scope.tenant,
  scope.scope,
  generation,
  String(at),
  files.map(({ name, size, modified }) => [name, String(size), String(modified)] as const),
  figures,
];

const partitionOf = ([tenant, scope, generation]: Entry | Removal): IndexPartition => ({
  scope: { tenant: tenantId(tenant), scope: vectorScope(scope) },
  generation: generationId(generation),
});

const read = (entry: Entry): FlushedPartition => {
  const [, , , at, files, figures] = entry;
  return {
    partition: partitionOf(entry),
    position: position(at),
    files: files.map(([name, size, modified]) => ({ name, size: BigInt(size), modified: BigInt(modified) })),
    figures,
  };
};

const bytesOf = (contents: readonly unknown[]): Uint8Array => Buffer.from(contents.map(line).join(''));

const line = (content: unknown): string => {
  const json = JSON.stringify(content);
  return `${checksumOf(json)} ${json}\n`;
};

/** Contents of a line; undefined if it is damaged. */
const checked = (text: string): unknown => {
  const at = text.indexOf(' ');
  const json = text.slice(at + 1);
  return at > 0 && text.slice(0, at) === checksumOf(json) ? JSON.parse(json) : undefined;
};

const checksumOf = (json: string): string => createHash('sha256').update(json).digest('hex').slice(0, 32);
