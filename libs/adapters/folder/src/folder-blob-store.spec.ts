import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Corrupt, Unavailable } from '@palimpsest/knowledge/errors';
import { blobKey, type BlobKey, type BlobStore } from '@palimpsest/knowledge/ports';
import { describeBlobStore } from '@palimpsest/test-kit';
import { blobPath } from './blob-path.ts';
import { openFolderBlobStore } from './folder-blob-store.ts';

const temporaryRoot = (): Promise<string> => mkdtemp(join(tmpdir(), 'palimpsest-blobs-'));

const damage = async (root: string, key: BlobKey): Promise<void> => {
  const path = blobPath(root, key);
  const content = await readFile(path);
  content[0] = (content[0] ?? 0) ^ 1;
  await writeFile(path, content);
};

const keysOf = async (store: BlobStore, prefix: string): Promise<string[]> => {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
};

describeBlobStore('FolderBlobStore', async () => {
  const root = await temporaryRoot();
  return {
    store: await openFolderBlobStore(root),
    reopen: () => openFolderBlobStore(root),
    damage: (key) => damage(root, key),
    dispose: () => rm(root, { recursive: true }),
  };
});

describe('FolderBlobStore', () => {
  let root: string;
  beforeEach(async () => {
    root = await temporaryRoot();
  });
  afterEach(() => rm(root, { recursive: true }));

  it('stores a blob as a readable file below its root', async () => {
    const store = await openFolderBlobStore(root);
    await store.put(blobKey('uploads/default/notes.md'), Buffer.from('# Notes'));
    const file = await readFile(join(root, 'uploads', 'default', 'notes.md~bin'));
    expect(file.subarray(0, 7).toString()).toBe('# Notes');
    expect(file.length).toBe(7 + 4 + 32);
  });

  it('creates files and folders that only their owner can read', async () => {
    await (await openFolderBlobStore(root)).put(blobKey('a/b'), Buffer.from('b'));
    expect((await stat(join(root, 'a'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(root, 'a', 'b~bin'))).mode & 0o777).toBe(0o600);
  });

  it.each([0, 20, 42])('throws Corrupt for a file truncated to %d of its 43 bytes', async (length) => {
    const store = await openFolderBlobStore(root);
    await store.put(blobKey('a'), Buffer.from('content'));
    await truncate(blobPath(root, blobKey('a')), length);
    await expect(store.get(blobKey('a'))).rejects.toThrow(Corrupt);
  });

  it('leaves no temporary file behind', async () => {
    const store = await openFolderBlobStore(root);
    await store.put(blobKey('a'), Buffer.from('a'));
    await Promise.all(Array.from({ length: 4 }, () => store.putIfAbsent(blobKey('b'), Buffer.from('b'))));
    expect(await readdir(join(root, '~tmp'))).toEqual([]);
  });

  it('removes temporary files of a killed process, but not those that another process is still writing', async () => {
    await openFolderBlobStore(root);
    await writeFile(join(root, '~tmp', 'fresh'), 'half a bl');
    await writeFile(join(root, '~tmp', 'stale'), 'half a bl');
    await utimes(join(root, '~tmp', 'stale'), 0, 0);
    const store = await openFolderBlobStore(root);
    expect(await readdir(join(root, '~tmp'))).toEqual(['fresh']);
    expect(await keysOf(store, '')).toEqual([]);
  });

  it('does not list files that it did not create', async () => {
    const store = await openFolderBlobStore(root);
    await mkdir(join(root, 'a'));
    await writeFile(join(root, 'a', '.DS_Store'), '');
    await writeFile(join(root, 'a', 'Upper~bin'), '');
    await store.put(blobKey('a/mine'), Buffer.from('mine'));
    expect(await keysOf(store, 'a')).toEqual(['a/mine']);
  });

  it('throws Unavailable when the folder cannot be used', async () => {
    await writeFile(join(root, 'file'), '');
    await expect(openFolderBlobStore(join(root, 'file', 'below'))).rejects.toThrow(Unavailable);
  });
});
