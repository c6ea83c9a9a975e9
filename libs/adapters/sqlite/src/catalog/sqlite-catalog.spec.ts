import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { position, START } from '@palimpsest/knowledge/values';
import { describeCatalog, describeCheckpoints } from '@palimpsest/test-kit';
import { openSqliteCatalog } from './sqlite-catalog.ts';
import { openSqliteCheckpoints } from './sqlite-checkpoints.ts';

const inFolder = async <Store extends { close(): Promise<void> }>(open: (options: { file: string }) => Promise<Store>) => {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-catalog-'));
  const file = join(folder, 'read-models', 'catalog.db');
  let store = await open({ file });
  return {
    store,
    file,
    reopen: async (): Promise<Store> => {
      await store.close();
      return (store = await open({ file }));
    },
    dispose: async (): Promise<void> => {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
};

describeCatalog('SqliteCatalog', async () => {
  const { store, ...rest } = await inFolder(openSqliteCatalog);
  return { catalog: store, ...rest };
});

describeCheckpoints('SqliteCheckpoints', async () => {
  const { store, ...rest } = await inFolder(openSqliteCheckpoints);
  return { checkpoints: store, ...rest };
});

describe('SqliteCatalog', () => {
  it('empties a file of another version, whatever tables it has, and starts from the beginning', async () => {
    const { store, file, reopen, dispose } = await inFolder(openSqliteCatalog);
    await store.apply([], position('7'));
    await store.close();
    const db = new DatabaseSync(file);
    db.exec('CREATE TABLE "left ""over" (a TEXT); PRAGMA user_version = 99');
    db.close();
    const opened = await reopen();
    expect(await opened.position()).toBe(START);
    await opened.apply([], position('8'));
    expect(await (await reopen()).position()).toBe(8n);
    await dispose();
  });

  it('starts from the beginning when the file is damaged, since the log has all data', async () => {
    const { store, file, reopen, dispose } = await inFolder(openSqliteCatalog);
    await store.apply([], position('7'));
    await store.close();
    await writeFile(file, 'This is no database, and has not been one for a long time. '.repeat(100));
    expect(await (await reopen()).position()).toBe(START);
    await dispose();
  });

  it('reports why a file cannot be opened', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sqlite-catalog-'));
    await expect(openSqliteCatalog({ file: folder })).rejects.toThrow(/unable to open/);
    await rm(folder, { recursive: true });
  });
});
