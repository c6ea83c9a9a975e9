import { existsSync } from 'node:fs';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { openFolderBlobStore } from '@palimpsest/adapters-folder';
import { openLogPrefix, type LogPrefix } from '@palimpsest/adapters-sqlite';
import { SYSTEM } from '@palimpsest/foundation';
import { Corrupt, InvalidValue } from '@palimpsest/knowledge/errors';
import { blobKey, type BlobStore } from '@palimpsest/knowledge/ports';
import { ArchiveWriter } from './archive/archive-writer.ts';
import { CONTENT_FORMAT, type Manifest } from './archive/manifest.ts';
import { checkHandle } from './check-backup.ts';
import { withReadableErrors } from './file-faults.ts';
import { folderLayout, type FolderLayout } from './folder-layout.ts';
import { PartialFile } from './partial-file.ts';
import { SealedWriter, type ByteSink } from './sealed/sealed-writer.ts';
import { UnusableFile } from './sealed/refusal.ts';
import type { ScryptCosts, Secret } from './sealed/secret.ts';
import { uploadsOf } from './uploads-of.ts';

/** `total` is undefined where counting would take another pass. */
export type BackupProgress = Readonly<{ phase: 'events' | 'uploads' | 'checking'; done: number; total?: number }>;

export type BackupOptions = Readonly<{
  /** The data folder of an embedded platform, running or not. */
  data: string;
  /** A file that does not exist yet, or a folder for a file named after the time. */
  target: string;
  secret: Secret;
  /** Version of the program, for the manifest. */
  by: string;
  now?: () => Date;
  signal?: AbortSignal;
  onProgress?: (progress: BackupProgress) => void;
  costs?: ScryptCosts;
  /** For specs: wraps the disk, to inject faults. */
  sink?: (file: ByteSink) => ByteSink;
}>;

export type BackedUp = Readonly<{ file: string; bytes: number; manifest: Manifest }>;

/** Maximum number of missing uploads that are listed by key. */
const LISTED = 20;

/**
 * Writes the log up to its current end, every upload and key that these events need, and the master key to one sealed file.
 * Works while the platform runs: events never change, an upload is stored before the event that names it, a key before what it seals.
 * The file is read back and compared before it gets its name.
 * @throws InvalidValue, Corrupt, Unavailable; no file exists then
 */
export const backUp = async (options: BackupOptions): Promise<BackedUp> => {
  const { now = () => new Date(SYSTEM.clock.now()), secret, signal, onProgress } = options;
  const folder = folderLayout(resolve(options.data));
  const masterKey = await requireFolder(folder);
  const createdAt = now();
  const target = await withReadableErrors(`write ${options.target}`, () => targetFile(options.target, createdAt));
  const blobs = await openFolderBlobStore(folder.blobs);
  return withReadableErrors(`write ${target}`, async () => {
    const log = openLogPrefix(folder.log);
    const file = await PartialFile.create(target).catch((error: unknown) => {
      log.close();
      throw error;
    });
    try {
      const sealed = await SealedWriter.begin(options.sink?.(file) ?? file, 'backup', secret, options.costs);
      const head = { format: CONTENT_FORMAT, createdAt: createdAt.toISOString(), by: options.by, position: log.head };
      const archive = await ArchiveWriter.begin(sealed, head);
      await writeLog(archive, log, options);
      const missing = await writeBlobs(archive, log, blobs, options);
      await writeKeys(archive, blobs, folder, masterKey);
      const manifest = await archive.finish(missing);
      await file.handle.sync();
      await confirm(file, manifest, secret, signal, onProgress);
      signal?.throwIfAborted();
      await file.commit();
      return { file: target, bytes: sealed.written, manifest };
    } finally {
      log.close();
      await file.close();
    }
  });
};

/** Returns the master key. @throws InvalidValue when this is not the data folder of a platform */
const requireFolder = async ({ root, log, masterKey }: FolderLayout): Promise<Uint8Array> => {
  if (!existsSync(log)) throw new InvalidValue('data folder', 'the data folder of a platform, with log/events.db in it', root);
  const key = await readFile(masterKey).catch(() => undefined);
  if (key === undefined)
    throw new InvalidValue('data folder', 'a folder with a readable keys/master.key: without it, the backup could not be decrypted', root);
  return key;
};

const targetFile = async (target: string, at: Date): Promise<string> => {
  const isFolder =
    /[/\\]$/.test(target) ||
    (await stat(target).then(
      (found) => found.isDirectory(),
      () => false,
    ));
  const path = resolve(target);
  if (isFolder) await mkdir(path, { recursive: true, mode: 0o700 });
  const file = isFolder ? join(path, `palimpsest-${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z.backup`) : path;
  if (existsSync(file)) throw new InvalidValue('file', 'a file that does not exist yet', file);
  if (!existsSync(dirname(file))) throw new InvalidValue('file', 'a path in an existing folder', file);
  return file;
};

const writeLog = async (archive: ArchiveWriter, log: LogPrefix, { signal, onProgress }: BackupOptions): Promise<void> => {
  for (const page of log.streams()) await archive.streams(page);
  for (const page of log.events()) {
    signal?.throwIfAborted();
    await archive.events(page);
    onProgress?.({ phase: 'events', done: page.at(-1)?.position ?? 0, total: log.head });
  }
  for (const page of log.truncated()) await archive.truncated(page);
};

const writeBlobs = async (
  archive: ArchiveWriter,
  log: LogPrefix,
  blobs: BlobStore,
  { signal, onProgress }: BackupOptions,
): Promise<Manifest['missing']> => {
  const missing = { count: 0, first: [] as string[] };
  let done = 0;
  for (const key of uploadsOf(log)) {
    signal?.throwIfAborted();
    const bytes = await blobs.get(key).catch((error: unknown) => {
      if (error instanceof Corrupt) return undefined;
      throw error;
    });
    if (bytes) await archive.blob(key, bytes);
    else if ((missing.count += 1) <= LISTED) missing.first.push(key);
    onProgress?.({ phase: 'uploads', done: (done += 1) });
  }
  return missing;
};

/** Writes the keys last: a scope's key is stored before anything is sealed with it. A destroyed key is written as its tombstone. */
const writeKeys = async (archive: ArchiveWriter, blobs: BlobStore, folder: FolderLayout, masterKey: Uint8Array): Promise<void> => {
  for await (const key of blobs.list('keys')) {
    const bytes = await blobs.get(blobKey(key));
    if (bytes) await archive.blob(key, bytes);
  }
  await archive.file('keys/master.key', masterKey);
  // Keeps the command line's key valid after a restore. A platform that never started completely has none.
  const localKey = await readFile(folder.localKey).catch(() => undefined);
  if (localKey) await archive.file('keys/local-api-key', localKey);
};

const confirm = async (
  file: PartialFile,
  written: Manifest,
  secret: Secret,
  signal: AbortSignal | undefined,
  onProgress: BackupOptions['onProgress'],
): Promise<void> => {
  const { size } = await file.handle.stat();
  const read = await checkHandle(file.handle, secret, signal, (done) => onProgress?.({ phase: 'checking', done, total: size }));
  if (JSON.stringify(read) !== JSON.stringify(written))
    throw new UnusableFile('the backup that was read back differs from what was written; the file was removed');
};
