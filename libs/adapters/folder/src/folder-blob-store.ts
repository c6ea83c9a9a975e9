import { randomUUID } from 'node:crypto';
import { access, link, open, opendir, readFile, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { errorCode, ifCode, makeFolder, syncFolder, syncNames } from '@palimpsest/foundation';
import { Corrupt, KnowledgeError, Unavailable } from '@palimpsest/knowledge/errors';
import { blobKey, type BlobKey, type BlobStore } from '@palimpsest/knowledge/ports';
import { blobPath, folderPath, prefixSegments, segmentOf } from './blob-path.ts';
import { readChecked, writeChecked } from './checked-file.ts';
import { folderMaker } from './folder-maker.ts';
import { shred } from './shred.ts';

/** A temporary file older than this (in milliseconds) was left by a process that died. */
const ABANDONED_AFTER_MS = 60 * 60_000;

/**
 * Stores blobs as files below a folder, which several processes may share. Temporary files are stored in "~tmp" below the root; "~"
 * cannot be part of a key. `putIfAbsent` needs a file system with hard links.
 * @throws Unavailable when the folder cannot be created or used
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
    if (await this.exists(key)) return false; // and on disk, as `exists` guarantees
    return translated('write', key, () =>
      this.withTemporary(bytes, async (written) => {
        const path = blobPath(this.root, key);
        await this.makeFolder(dirname(path));
        const won = await link(written, path).then(() => true, ifCode('EEXIST', false));
        // also when another process won: "false" means that its blob exists, but the other process may not have synced the name yet
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
      throw new Corrupt(`blob "${key}": the content of ${path} does not match its checksum`);
    });
  }

  exists(key: BlobKey): Promise<boolean> {
    return translated('read', key, async () => {
      const path = blobPath(this.root, key);
      const found = await access(path).then(() => true, ifCode('ENOENT', false));
      // The caller relies on the result, and a process that died may have created the name without syncing it.
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

  /** Content that is sealed with a key is lost with the key: a name that a dead process left is synced before the key is used. */
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

  /** Calls `use` with a temporary file that contains the bytes and is on disk. Removes the file afterwards if it still exists. */
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

/** Runs `act`, which removes or replaces the old file, and waits until that is on disk. Then overwrites an old secret. */
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

const translated = async <Result>(verb: string, what: string, act: () => Promise<Result>): Promise<Result> => {
  try {
    return await act();
  } catch (cause) {
    if (cause instanceof KnowledgeError) throw cause;
    throw new Unavailable(`cannot ${verb} ${what} (${errorCode(cause) ?? String(cause)})`, { cause });
  }
};
