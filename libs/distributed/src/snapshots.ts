import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { z } from 'zod';
import { BM25_ANALYSER_VERSION } from '@palimpsest/adapters-bm25';
import { openSqliteCheckpoints, type SqliteCatalog } from '@palimpsest/adapters-sqlite';
import { blobKey, Corrupt, position } from '@palimpsest/knowledge';
import type { BlobStore, Position, ScopeCipher } from '@palimpsest/knowledge';
import type { ReadModelRunner } from '@palimpsest/projections';
import type { StateFolder } from './state-folder.ts';

const FOLDER = 'snapshots';
const LATEST = blobKey(`${FOLDER}/latest`);
const PART_BYTES = 8 * 1024 * 1024;
/** The latest, and the one before it, which a replica may be reading just now. */
const KEPT = 2;
/** What the files mean: another analyser would look for other words than those in the index. */
const FORMAT = `2/${BM25_ANALYSER_VERSION}`;

const manifestSchema = z.object({
  format: z.string(),
  position: z.string().transform((raw) => position(raw)),
  files: z.array(z.object({ path: z.string(), parts: z.array(z.string()), sha256: z.string() })),
});
type Manifest = z.output<typeof manifestSchema>;

/**
 * The local state of a query replica in the blob store, for new replicas to start from rather than from the log's beginning.
 * Sealed under the platform's own key, in parts; the pointer `latest` moves last. Whatever is wrong with a snapshot, the log
 * has everything.
 */
export class Snapshots {
  readonly #blobs: BlobStore;
  readonly #cipher: ScopeCipher;
  readonly #folder: StateFolder;

  constructor(blobs: BlobStore, cipher: ScopeCipher, folder: StateFolder) {
    this.#blobs = blobs;
    this.#cipher = cipher;
    this.#folder = folder;
  }

  /** Copies the state while nothing is projected, then uploads the copy. Answers the position that it reflects. */
  async write(runner: ReadModelRunner, catalog: SqliteCatalog): Promise<Position> {
    const copy = await mkdtemp(join(this.#folder.root, 'snapshot-'));
    try {
      const at = await runner.whilePaused(async () => {
        await catalog.copyTo(join(copy, 'catalog.db'));
        await cp(this.#folder.lexical, join(copy, 'lexical'), { recursive: true });
        return catalog.position();
      });
      await this.#upload(copy, at);
      return at;
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
  }

  /** Fills an empty state folder from the latest snapshot, if there is one that can be used. Answers its position. */
  async restore(): Promise<Position | undefined> {
    if (existsSync(this.#folder.catalog)) return undefined;
    const manifest = await this.#latest();
    if (manifest?.format !== FORMAT) return undefined;
    const into = await mkdtemp(join(this.#folder.root, 'restoring-'));
    try {
      for (const file of manifest.files) await this.#download(file, join(into, file.path));
      await rm(this.#folder.lexical, { recursive: true, force: true });
      await mkdir(join(into, 'lexical'), { recursive: true });
      await rename(join(into, 'lexical'), this.#folder.lexical);
      const checkpoints = await openSqliteCheckpoints({ file: this.#folder.checkpoints });
      await checkpoints.set('read-models', manifest.position);
      await checkpoints.close();
      await rename(join(into, 'catalog.db-pages'), `${this.#folder.catalog}-pages`);
      // Last: with it the folder counts as filled.
      await rename(join(into, 'catalog.db'), this.#folder.catalog);
    } finally {
      await rm(into, { recursive: true, force: true });
    }
    return manifest.position;
  }

  async #latest(): Promise<Manifest | undefined> {
    const name = await this.#read(LATEST);
    if (name === undefined) return undefined;
    const manifest = await this.#read(blobKey(`${FOLDER}/${Buffer.from(name).toString()}/manifest`));
    return manifest === undefined ? undefined : manifestSchema.parse(JSON.parse(Buffer.from(manifest).toString()));
  }

  async #upload(copy: string, at: Position): Promise<void> {
    const name = `${String(at).padStart(20, '0')}-${Date.now()}`;
    const files: { path: string; parts: string[]; sha256: string }[] = [];
    for (const path of await filesBelow(copy)) {
      const [parts, hash] = [[] as string[], createHash('sha256')];
      for await (const part of partsOf(join(copy, path))) {
        const key = `${FOLDER}/${name}/${files.length}.${parts.length}`;
        hash.update(part);
        await this.#blobs.put(blobKey(key), this.#cipher.seal(part, key));
        parts.push(key);
      }
      files.push({ path: path.split(sep).join('/'), parts, sha256: hash.digest('hex') });
    }
    const manifest = { format: FORMAT, position: String(at), files };
    await this.#write(`${FOLDER}/${name}/manifest`, JSON.stringify(manifest));
    await this.#write(LATEST, name);
    await this.#forgetOld(name);
  }

  async #forgetOld(newest: string): Promise<void> {
    const names = new Set<string>();
    for await (const key of this.#blobs.list(FOLDER)) names.add(key.split('/')[1] ?? '');
    names.delete('latest');
    const old = [...names].filter((name) => name <= newest).sort().slice(0, -KEPT);
    for (const name of old) for await (const key of this.#blobs.list(`${FOLDER}/${name}`)) await this.#blobs.delete(key);
  }

  async #download({ path, parts, sha256 }: Manifest['files'][number], target: string): Promise<void> {
    const hash = createHash('sha256');
    await mkdir(dirname(target), { recursive: true });
    const file = await open(target, 'wx', 0o600);
    try {
      for (const key of parts) {
        const sealed = await this.#blobs.get(blobKey(key));
        if (!sealed) throw new Corrupt(`the snapshot lacks a part of ${path}`);
        const part = this.#cipher.open(sealed, key);
        hash.update(part);
        await file.write(part);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    if (hash.digest('hex') !== sha256) throw new Corrupt(`${path} of the snapshot is not what was written`);
  }

  async #write(key: string, text: string): Promise<void> {
    await this.#blobs.put(blobKey(key), this.#cipher.seal(Buffer.from(text), key));
  }

  async #read(key: string): Promise<Uint8Array | undefined> {
    const sealed = await this.#blobs.get(blobKey(key));
    return sealed && this.#cipher.open(sealed, key);
  }
}

const filesBelow = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name))).sort();
};

async function* partsOf(path: string): AsyncGenerator<Uint8Array> {
  const { size } = await stat(path);
  if (size <= PART_BYTES) return yield await readFile(path);
  const file = await open(path, 'r');
  try {
    for (let at = 0; at < size; at += PART_BYTES) {
      const part = new Uint8Array(Math.min(PART_BYTES, size - at));
      await file.read(part, 0, part.length, at);
      yield part;
    }
  } finally {
    await file.close();
  }
}
