import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { z } from 'zod';
import { BM25_ANALYSER_VERSION } from '@palimpsest/adapters-bm25';
import {
  CATALOG_FORMAT,
  openSqliteCatalog,
  openSqliteCheckpoints,
  rowsByScope,
  type ScopeRows,
  type SqliteCatalog,
} from '@palimpsest/adapters-sqlite';
import { cipherIfAny, partitionOfFile, wire } from '@palimpsest/contracts';
import { SYSTEM } from '@palimpsest/foundation';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { blobKey } from '@palimpsest/knowledge/ports';
import { position, tenantId } from '@palimpsest/knowledge/values';
import type { BlobStore, ScopeCipher, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { Position, TenantScope } from '@palimpsest/knowledge/values';
import type { ReadModelRunner } from '@palimpsest/projections';
import { currentFolder } from '../read-model-sets.ts';
import { catalogIn, type StateFolder } from './state-folder.ts';

const FOLDER = 'snapshots';
/** Versions that sealed it under the key of a scope, which an erasure could destroy, called it `latest`. */
const LATEST = blobKey(`${FOLDER}/newest`);
const PART_BYTES = 8 * 1024 * 1024;
/** The latest snapshot, and the previous one, which a replica may still be reading. */
const KEPT = 2;
/** Format of the files. It includes the analyser version, since another analyser would search for other words than the index contains. */
const FORMAT = `3/${CATALOG_FORMAT}/${BM25_ANALYSER_VERSION}`;

const LEXICAL = 'lexical/';
const CATALOG = 'catalog.db';

const scopeSchema = z.object({ tenant: z.string().transform((raw) => tenantId(raw)), scope: wire.scope });
const manifestSchema = z.object({
  format: z.string(),
  position: z.string().transform((raw) => position(raw)),
  /** `scope`: whose key seals the file; without it, the key of the installation. */
  files: z.array(z.object({ path: z.string(), parts: z.array(z.string()), sha256: z.string(), scope: scopeSchema.exactOptional() })),
  /** Rows of the catalog. */
  rows: z.array(z.object({ part: z.string(), scope: scopeSchema })),
});
type Sealer = Pick<ScopeCipher, 'seal' | 'open'>;
type Manifest = z.output<typeof manifestSchema>;
type SnapshotFile = Manifest['files'][number];

/**
 * Stores the local state of a query replica in the blob store, so that new replicas need not process the whole log. The words and the
 * rows of a scope are sealed under its own key, so that no one can read them once the key is destroyed; the list of the parts is sealed
 * under the key of the installation. The pointer `newest` is updated last. If a snapshot is unusable, the state is rebuilt from the log.
 */
export class Snapshots {
  readonly #blobs: BlobStore;
  readonly #keys: Pick<ScopeKeys, 'cipher'>;
  readonly #installation: Sealer;
  readonly #folder: StateFolder;

  constructor(blobs: BlobStore, keys: Pick<ScopeKeys, 'cipher'>, installation: Sealer, folder: StateFolder) {
    this.#blobs = blobs;
    this.#keys = keys;
    this.#installation = installation;
    this.#folder = folder;
  }

  /** Copies the state while projections are paused, then uploads the copy. `lexicalFolder`: where the words are. Returns its position. */
  async write(runner: ReadModelRunner, catalog: SqliteCatalog, lexicalFolder = () => this.#folder.lexical): Promise<Position> {
    const copy = await mkdtemp(join(this.#folder.root, 'snapshot-'));
    try {
      const at = await runner.whilePaused(async () => {
        await catalog.copyTo(join(copy, CATALOG));
        await cp(lexicalFolder(), join(copy, LEXICAL), { recursive: true });
        return catalog.position();
      });
      await this.#upload(copy, at);
      return at;
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
  }

  /** Fills an empty state folder from the latest usable snapshot, if any, without scopes whose key was destroyed. Returns its position. */
  async restore(): Promise<Position | undefined> {
    if (existsSync(catalogIn(await currentFolder(this.#folder.root)))) return undefined;
    const manifest = await this.#latest();
    if (manifest?.format !== FORMAT) return undefined;
    const into = await mkdtemp(join(this.#folder.root, 'restoring-'));
    try {
      for (const file of manifest.files) await this.#download(file, join(into, file.path));
      await this.#restoreCatalog(manifest, join(into, CATALOG));
      await rm(this.#folder.lexical, { recursive: true, force: true });
      await mkdir(join(into, LEXICAL), { recursive: true });
      await rename(join(into, LEXICAL), this.#folder.lexical);
      const checkpoints = await openSqliteCheckpoints({ file: this.#folder.checkpoints });
      await checkpoints.set('read-models', manifest.position);
      await checkpoints.close();
      await rename(join(into, `${CATALOG}-pages`), `${this.#folder.catalog}-pages`);
      // Last, since a folder with a catalog counts as filled.
      await rename(join(into, CATALOG), this.#folder.catalog);
    } finally {
      await rm(into, { recursive: true, force: true });
    }
    return manifest.position;
  }

  async #latest(): Promise<Manifest | undefined> {
    const name = await this.#read(LATEST);
    if (name === undefined) return undefined;
    const manifest = await this.#read(blobKey(`${FOLDER}/${Buffer.from(name).toString()}/manifest`));
    const raw = manifest === undefined ? undefined : (JSON.parse(Buffer.from(manifest).toString()) as { format?: unknown });
    return raw?.format === FORMAT ? manifestSchema.parse(raw) : undefined;
  }

  async #upload(copy: string, at: Position): Promise<void> {
    const name = `${String(at).padStart(20, '0')}-${SYSTEM.clock.now()}`;
    const manifest = {
      format: FORMAT,
      position: String(at),
      files: await this.#uploadFiles(copy, name),
      rows: await this.#uploadRows(copy, name),
    };
    await this.#write(`${FOLDER}/${name}/manifest`, JSON.stringify(manifest));
    await this.#write(LATEST, name);
    await this.#deleteOld(name);
  }

  async #uploadFiles(copy: string, name: string): Promise<readonly SnapshotFile[]> {
    const files: SnapshotFile[] = [];
    for (const path of await filesBelow(join(copy, LEXICAL))) {
      const scope = partitionOfFile(path)?.scope;
      const cipher = await this.#cipherOf(scope);
      if (cipher === undefined) continue;
      const [parts, hash] = [[] as string[], createHash('sha256')];
      for await (const part of partsOf(join(copy, LEXICAL, path))) {
        const key = `${FOLDER}/${name}/${files.length}.${parts.length}`;
        hash.update(part);
        await this.#blobs.put(blobKey(key), cipher.seal(part, key));
        parts.push(key);
      }
      files.push({ path: `${LEXICAL}${path}`, parts, sha256: hash.digest('hex'), ...(scope === undefined ? {} : { scope }) });
    }
    return files;
  }

  async #uploadRows(copy: string, name: string): Promise<Manifest['rows']> {
    const parts: Manifest['rows'] = [];
    for await (const { scope, ...rows } of rowsByScope(join(copy, CATALOG))) {
      const cipher = await this.#cipherOf(scope);
      if (cipher === undefined) continue;
      const part = `${FOLDER}/${name}/rows.${parts.length}`;
      await this.#blobs.put(blobKey(part), cipher.seal(serialize(rows), part));
      parts.push({ part, scope });
    }
    return parts;
  }

  async #restoreCatalog({ rows, position: at }: Manifest, file: string): Promise<void> {
    const catalog = await openSqliteCatalog({ file });
    try {
      for (const { part, scope } of rows) {
        const cipher = await this.#cipherOf(scope);
        if (cipher) await catalog.restoreRows(deserialize(await this.#part(cipher, part)) as Omit<ScopeRows, 'scope'>);
      }
      await catalog.apply([], at);
    } finally {
      await catalog.close();
    }
  }

  /** Undefined if the key of the scope was destroyed. */
  async #cipherOf(scope: TenantScope | undefined): Promise<Sealer | undefined> {
    return scope === undefined ? this.#installation : cipherIfAny(this.#keys, scope);
  }

  async #deleteOld(newest: string): Promise<void> {
    const old = (await namesIn(this.#blobs)).filter((name) => name <= newest).slice(0, -KEPT);
    for (const name of old) await deleteSnapshot(this.#blobs, name);
  }

  async #download({ path, parts, sha256, scope }: SnapshotFile, target: string): Promise<void> {
    const cipher = await this.#cipherOf(scope);
    if (cipher === undefined) return;
    const hash = createHash('sha256');
    await mkdir(dirname(target), { recursive: true });
    const file = await open(target, 'wx', 0o600);
    try {
      for (const key of parts) {
        const part = await this.#part(cipher, key);
        hash.update(part);
        await file.write(part);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    if (hash.digest('hex') !== sha256) throw new Corrupt(`${path} in the snapshot does not match its checksum`);
  }

  async #part(cipher: Sealer, key: string): Promise<Uint8Array> {
    const sealed = await this.#blobs.get(blobKey(key));
    if (!sealed) throw new Corrupt(`the part ${key} is missing from the snapshot`);
    return cipher.open(sealed, key);
  }

  async #write(key: string, text: string): Promise<void> {
    await this.#blobs.put(blobKey(key), this.#installation.seal(Buffer.from(text), key));
  }

  async #read(key: string): Promise<Uint8Array | undefined> {
    const sealed = await this.#blobs.get(blobKey(key));
    return sealed && this.#installation.open(sealed, key);
  }
}

const filesBelow = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
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

/** In the order of their positions. */
const namesIn = async (blobs: BlobStore): Promise<readonly string[]> => {
  const names = new Set<string>();
  for await (const key of blobs.list(FOLDER)) names.add(key.split('/')[1] ?? '');
  return [...names].filter((name) => /^[0-9]{20}-/.test(name)).sort();
};

const deleteSnapshot = async (blobs: BlobStore, name: string): Promise<void> => {
  for await (const key of blobs.list(`${FOLDER}/${name}`)) await blobs.delete(key);
};

/** A replica that starts before the next snapshot reads the log from its start. Returns how many were deleted. */
export const deleteSnapshotsBefore = async (blobs: BlobStore, at: Position): Promise<number> => {
  const old = (await namesIn(blobs)).filter((name) => BigInt(name.split('-', 1)[0] ?? '') < at);
  for (const name of old) await deleteSnapshot(blobs, name);
  return old.length;
};
