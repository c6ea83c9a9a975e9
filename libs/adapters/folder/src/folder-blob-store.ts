import { randomUUID } from 'node:crypto';
import { access, link, open, opendir, readFile, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { blobKey, Corrupt, KnowledgeError, Unavailable, type BlobKey, type BlobStore } from '@palimpsest/knowledge';
import { blobPath, folderPath, prefixSegments, segmentOf } from './blob-path.ts';
import { readChecked, writeChecked } from './checked-file.ts';
import { errorCode, folderMaker, makeFolder, shred, syncFolder, syncNames } from './durable.ts';

/** A temporary file this old (milliseconds) was left by a process that died. */
const ABANDONED_AFTER_MS = 60 * 60_000;

/**
 * Blobs as files under a folder, which several processes may share. Temporary files lie in "~tmp" below the root; a
 * "~" cannot be part of a key. Needs a file system with hard links, for `putIfAbsent`.
 * @throws Unavailable when the folder cannot be made or used.
 */
export const openFolderBlobStore = async (root: string): Promise<BlobStore> => {
  const folder = resolve(root);
  const temporary = join(folder, '~tmp');
  await translated('open', folder, async () => {
    await makeFolder(temporary);
    await removeAbandoned(temporary);
  });
  return new FolderBlobStore(folder, temporary);
};

class FolderBlobStore implements BlobStore {
  private readonly root: string;
  private readonly temporary: string;
  private readonly makeFolder: (folder: string) => Promise<void>;
  /** Keys whose names are known to be on disk. */
  private readonly settled = new Set<string>();

  constructor(root: string, temporary: string) {
    this.root = root;
    this.temporary = temporary;
    this.makeFolder = folderMaker(root);
  }

  put(key: BlobKey, bytes: Uint8Array): Promise<void> {
    return translated('write', key, () =>
      this.withTemporary(bytes, async (written) => {
        const path = blobPath(this.root, key);
        await this.makeFolder(dirname(path));
        await replacing(key, path, () => rename(written, path));
      }),
    );
  }

  async putIfAbsent(key: BlobKey, bytes: Uint8Array): Promise<boolean> {
    if (await this.exists(key)) return false; // and on disk, as `exists` promises
    return translated('write', key, () =>
      this.withTemporary(bytes, async (written) => {
        const path = blobPath(this.root, key);
        await this.makeFolder(dirname(path));
        const won = await link(written, path).then(() => true, ifCode('EEXIST', false));
        // also when another one won: "false" says that its blob is there, and it may not have put the name on disk yet
        await syncFolder(dirname(path));
        return won;
      }),
    );
  }

  get(key: BlobKey): Promise<Uint8Array | undefined> {
    return translated('read', key, async () => {
      const path = blobPath(this.root, key);
      const found = await readChecked(() => readFile(path).catch(ifCode('ENOENT', undefined)));
      if (found !== undefined && key.startsWith('keys/')) await this.settle(path);
      if (found !== 'damaged') return found;
      throw new Corrupt(`blob "${key}": the bytes in ${path} are not those that were written`);
    });
  }

  exists(key: BlobKey): Promise<boolean> {
    return translated('read', key, async () => {
      const path = blobPath(this.root, key);
      const found = await access(path).then(() => true, ifCode('ENOENT', false));
      // Whoever is told so builds upon it; a process that died may have come to the name, and not to its sync.
      if (found) await syncNames(path, this.root);
      return found;
    });
  }

  delete(key: BlobKey): Promise<void> {
    return translated('delete', key, () => {
      const path = blobPath(this.root, key);
      return replacing(key, path, () => rm(path)).catch(ifCode('ENOENT', undefined));
    });
  }

  /** What is sealed with a key is lost with it: a name that a dead process left goes to disk before the key is used. */
  private async settle(path: string): Promise<void> {
    if (this.settled.has(path)) return;
    await syncNames(path, this.root);
    this.settled.add(path);
  }

  async *list(prefix: string): AsyncIterable<BlobKey> {
    const segments = prefixSegments(prefix);
    if (segments.length > 0 && !prefix.endsWith('/') && (await this.exists(blobKey(prefix)))) yield blobKey(prefix);
    yield* this.below(segments);
  }

  private async *below(segments: readonly string[]): AsyncIterable<BlobKey> {
    const path = folderPath(this.root, segments);
    const entries = await translated('list', path, () => opendir(path).catch(ifCode('ENOENT', undefined)));
    if (entries === undefined) return;
    for await (const entry of entries) {
      const segment = segmentOf(entry.name, entry.isDirectory() ? 'folder' : 'file');
      if (segment === undefined) continue;
      if (entry.isDirectory()) yield* this.below([...segments, segment]);
      else yield blobKey([...segments, segment].join('/'));
    }
  }

  /** Gives `use` a file that holds the bytes, on disk, and removes what is left of it afterwards. */
  private async withTemporary<Result>(bytes: Uint8Array, use: (path: string) => Promise<Result>): Promise<Result> {
    const path = join(this.temporary, randomUUID());
    try {
      await writeChecked(path, bytes);
      return await use(path);
    } finally {
      await rm(path, { force: true });
    }
  }
}

/** Does what takes the old file's name away, and waits until that is on disk; an old secret is then overwritten. */
const replacing = async (key: BlobKey, path: string, act: () => Promise<void>): Promise<void> => {
  const old = key.startsWith('keys/') ? await openIfThere(path) : undefined;
  try {
    await act();
    await syncFolder(dirname(path));
    if (old !== undefined) await shred(old);
  } finally {
    await old?.close();
  }
};

const openIfThere = (path: string): Promise<FileHandle | undefined> => open(path, 'r+').catch(ifCode('ENOENT', undefined));

const removeAbandoned = async (temporary: string): Promise<void> => {
  for (const name of await readdir(temporary)) {
    const path = join(temporary, name);
    const age = await stat(path).then(({ mtimeMs }) => Date.now() - mtimeMs, ifCode('ENOENT', 0));
    if (age > ABANDONED_AFTER_MS) await rm(path, { force: true });
  }
};

/** For `catch`: answers `value` when the operation failed with this code, else fails on. */
const ifCode =
  <Value>(code: string, value: Value) =>
  (error: unknown): Value => {
    if (errorCode(error) === code) return value;
    throw error;
  };

const translated = async <Result>(verb: string, what: string, act: () => Promise<Result>): Promise<Result> => {
  try {
    return await act();
  } catch (cause) {
    if (cause instanceof KnowledgeError) throw cause;
    throw new Unavailable(`cannot ${verb} ${what} (${errorCode(cause) ?? String(cause)})`, { cause });
  }
};
