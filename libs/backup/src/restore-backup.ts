import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { masterKeySigner, openFolderBlobStore, openMasterKey, openScopeKeys } from '@palimpsest/adapters-folder';
import { LogCopy, openLogPrefix } from '@palimpsest/adapters-sqlite';
import { syncFolder } from '@palimpsest/foundation';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { blobKey, type BlobStore } from '@palimpsest/knowledge/ports';
import type { TenantSubject } from '@palimpsest/knowledge/subjects';
import type { TenantScope } from '@palimpsest/knowledge/values';
import { readArchive } from './archive/archive-reader.ts';
import type { Manifest } from './archive/manifest.ts';
import { PartTally } from './archive/part-tally.ts';
import { encodeEvent, frame } from './archive/records.ts';
import { counted } from './check-backup.ts';
import { withReadableErrors } from './file-faults.ts';
import { folderLayout, type FolderLayout } from './folder-layout.ts';
import { partialName, removeLeftovers } from './leftovers.ts';
import { UnusableFile } from './sealed/refusal.ts';
import { openSealedFile } from './sealed/sealed-reader.ts';
import type { Secret } from './sealed/secret.ts';

/** A scope or a data subject. `publicKey`: of the receipt, Base64. */
export type Erased = Readonly<{ of: TenantScope | TenantSubject; publicKey: string }>;

export type RestoreOptions = Readonly<{
  file: string;
  /** A folder that does not exist yet, or is empty. */
  data: string;
  secret: Secret;
  /** What was erased since the backup, by its receipts. The keys are destroyed. */
  erased?: readonly Erased[];
  signal?: AbortSignal;
  /** Called with the number of bytes read and the size of the file. */
  onProgress?: (done: number, total: number) => void;
}>;

/** The only files, apart from log and blobs, that a backup may contain. */
const FILES: ReadonlySet<string> = new Set(['keys/master.key', 'keys/local-api-key']);
/** Uploads written at the same time: each waits for the disk. */
const PARALLEL_WRITES = 8;

/**
 * Restores the data folder of a platform from a backup. The folder gets its name only when everything was read, compared and is on disk.
 * @throws InvalidValue, UnusableFile, WrongSecret, Unavailable; no files are left then
 */
export const restoreBackup = async (options: RestoreOptions): Promise<Manifest> => {
  const target = resolve(options.data);
  await requireEmpty(target);
  const handle = await withReadableErrors(`read ${options.file}`, () => open(options.file, 'r'));
  const temporary = partialName(target);
  try {
    return await withReadableErrors(`restore to ${target}`, async () => {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await removeLeftovers(target);
      await rm(temporary, { recursive: true, force: true });
      await mkdir(temporary, { mode: 0o700 });
      const { size } = await handle.stat();
      const chunks = counted(openSealedFile(handle, 'backup', options.secret), (done) => options.onProgress?.(done, size));
      const manifest = await fill(folderLayout(temporary), chunks, options.signal);
      await destroyKeys(folderLayout(temporary), options.erased ?? []);
      options.signal?.throwIfAborted();
      await publish(temporary, target);
      return manifest;
    });
  } finally {
    await handle.close();
    await rm(temporary, { recursive: true, force: true });
  }
};

const requireEmpty = async (target: string): Promise<void> => {
  const entries = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new InvalidValue('data', 'an empty folder, or one that does not exist', `${target} (${error.code ?? ''})`);
  });
  if (entries.length > 0)
    throw new InvalidValue('data', 'an empty folder, or one that does not exist', `${target} with ${basename(entries[0] ?? '')} in it`);
};

const fill = async (folder: FolderLayout, chunks: AsyncGenerator<Buffer>, signal: AbortSignal | undefined): Promise<Manifest> => {
  for (const part of ['log', 'blobs', 'keys']) await mkdir(join(folder.root, part), { mode: 0o700 });
  const [log, blobs] = [new LogCopy(folder.log), new BlobWriter(await openFolderBlobStore(folder.blobs))];
  try {
    const manifest = await readArchive(chunks, {
      streams: (page) => page.forEach((stream) => log.addStream(stream)),
      event: (event) => {
        signal?.throwIfAborted();
        log.addEvent(event);
      },
      truncated: (page) => page.forEach((stream) => log.truncate(stream)),
      blob: (key, bytes) => (signal?.throwIfAborted(), blobs.add(key, bytes)),
      file: (name, bytes) => writeKey(folder.root, name, bytes),
    });
    await blobs.done();
    if (!existsSync(folder.masterKey)) throw new UnusableFile('the backup has no master key');
    log.finish(manifest.position);
    compareLog(folder.log, manifest);
    // Created by reading the log. They are empty, and the next process that opens the log creates them again.
    for (const ending of ['-wal', '-shm']) await rm(`${folder.log}${ending}`, { force: true });
    for (const part of ['blobs', 'keys', 'log', '']) await syncFolder(join(folder.root, part));
    return manifest;
  } finally {
    log.close();
    await blobs.done().catch(() => undefined);
  }
};

/** Before anything can read them. @throws InvalidValue for the receipt of another installation */
const destroyKeys = async (folder: FolderLayout, erased: readonly Erased[]): Promise<void> => {
  if (erased.length === 0) return;
  // It exists: it is part of every backup.
  const masterKey = await openMasterKey(folder.masterKey, async () => true);
  const ours = Buffer.from(masterKeySigner(masterKey).publicKey).toString('base64');
  const keys = openScopeKeys({ blobs: await openFolderBlobStore(folder.blobs), masterKey });
  for (const { of, publicKey } of erased) {
    if (publicKey !== ours)
      throw new InvalidValue('erased', 'receipts of the installation that the backup is of', 'one of another installation');
    if ('subject' in of) {
      await keys.subjects.forget(of);
      await keys.subjects.destroy(of);
    } else await keys.destroy(of);
  }
};

/** Reads the restored log and compares it with the digest. @throws UnusableFile */
const compareLog = (file: string, { position, parts }: Manifest): void => {
  const tally = new PartTally();
  const log = openLogPrefix(file);
  try {
    for (const _ of log.streams());
    for (const page of log.events())
      for (const event of page) {
        const content = encodeEvent(event);
        tally.add('events', 1, [frame('events', content.length), content]);
      }
    if (log.head !== position || tally.figures().events.sha256 !== parts.events.sha256)
      throw new UnusableFile('the restored log differs from the log of the backup');
  } finally {
    log.close();
  }
};

const writeKey = async (root: string, name: string, bytes: Uint8Array): Promise<void> => {
  if (!FILES.has(name)) throw new UnusableFile(`the backup contains an unexpected file: ${name.slice(0, 100)}`);
  await writeFile(join(root, name), bytes, { mode: 0o600, flag: 'wx', flush: true });
};

/** Renames the folder in one step. An empty folder of that name is replaced. */
const publish = async (temporary: string, target: string): Promise<void> => {
  await rmdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw new InvalidValue('data', 'an empty folder, or one that does not exist', target);
  });
  await rename(temporary, target);
  await syncFolder(dirname(target));
};

/** Writes several blobs at the same time. The next call, or `done`, throws the first failure. */
class BlobWriter {
  readonly #blobs: BlobStore;
  readonly #writing = new Set<Promise<void>>();
  #failed: { error: unknown } | undefined;

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  async add(key: string, bytes: Uint8Array): Promise<void> {
    const writing: Promise<void> = this.#blobs
      .put(blobKey(key), bytes)
      .catch((error: unknown) => void (this.#failed ??= { error }))
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
    if (this.#writing.size >= PARALLEL_WRITES || bytes.length > 1024 * 1024) await Promise.race(this.#writing);
    this.#throwFailure();
  }

  async done(): Promise<void> {
    await Promise.all(this.#writing);
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failed) throw this.#failed.error;
  }
}
