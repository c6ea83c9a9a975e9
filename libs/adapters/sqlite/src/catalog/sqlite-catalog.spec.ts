import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { position, START, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { describeCatalog, describeCheckpoints } from '@palimpsest/test-kit';
import { changesAt } from '../../test/catalog-history.ts';
import { openSqliteCatalog } from './open-sqlite-catalog.ts';
import type { SqliteCatalog } from './sqlite-catalog.ts';
import { openSqliteCheckpoints } from './sqlite-checkpoints.ts';

/** Stores of the current test: their threads would keep the process alive after a failure. */
const opened: (() => { close(): Promise<void> })[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store().close();
});

const inFolder = async <Store extends { close(): Promise<void> }>(open: (options: { file: string }) => Promise<Store>) => {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-catalog-'));
  const file = join(folder, 'read-models', 'catalog.db');
  let store = await open({ file });
  opened.push(() => store);
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

const SCOPE = { tenant: tenantId('acme'), scope: vectorScope('deployment') };

const building = ({ file }: { file: string }) => openSqliteCatalog({ file, isServing: () => false });

/** What another connection reads. */
const committed = (file: string): unknown => {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return db.prepare('SELECT position FROM progress').get()?.['position'];
  } finally {
    db.close();
  }
};

describeCatalog('SqliteCatalog', async () => {
  const { store, ...rest } = await inFolder(openSqliteCatalog);
  return { catalog: store, ...rest };
});

describeCatalog('SqliteCatalog that is not serving yet', async () => {
  const { store, ...rest } = await inFolder(building);
  return { catalog: store, ...rest };
});

describeCatalog('SqliteCatalog that is deleted after use', async () => {
  const { store, dispose } = await inFolder(({ file }) => openSqliteCatalog({ file, isTemporary: true, isServing: () => false }));
  // It begins empty, whatever the file had.
  return { catalog: store, reopen: async () => store, dispose };
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

  it.each([
    ['it is committed', (store: SqliteCatalog) => store.commit()],
    ['the write-ahead file is emptied', (store: SqliteCatalog) => store.purge()],
    ['it is copied', (store: SqliteCatalog, file: string) => store.copyTo(`${file}.copy`)],
  ])('while it is not serving, completes a transaction when %s', async (_, complete) => {
    const { store, file, dispose } = await inFolder(building);
    for (const at of ['1', '2', '3']) await store.apply([], position(at));
    expect([await store.position(), committed(file)]).toEqual([3n, '0']);
    await complete(store, file);
    expect(committed(file)).toBe('3');
    await dispose();
  });

  it('while it is not serving, commits a number of batches together', async () => {
    const { store, file, dispose } = await inFolder(building);
    const read: unknown[] = [];
    for (let at = 1; at <= 33; at++) {
      await store.apply([], position(String(at)));
      read.push(committed(file));
    }
    expect(new Set(read)).toEqual(new Set(['0', '16', '32']));
    await dispose();
  });

  it('is back at what was committed when SQLite undoes the whole transaction', async () => {
    const { store, file, dispose } = await inFolder(building);
    for (let at = 1; at <= 17; at++) await store.apply([], position(String(at)));
    const { exec } = DatabaseSync.prototype;
    DatabaseSync.prototype.exec = function (sql) {
      if (sql !== 'RELEASE batch') return exec.call(this, sql);
      DatabaseSync.prototype.exec = exec;
      exec.call(this, 'ROLLBACK');
      throw new Error('database or disk is full');
    };
    await expect(store.apply([], position('18'))).rejects.toThrow('full');
    expect([await store.position(), committed(file)]).toEqual([16n, '16']);
    await store.apply([], position('17'));
    expect(await store.position()).toBe(17n);
    await dispose();
  });

  it('has replaced rows in its files, also after a kill, with checksums that match, before a WAL checkpoint and after it', async () => {
    const [live, built] = [await inFolder(openSqliteCatalog), await inFolder(building)];
    for (let n = 1; n <= 9; n++) await built.store.apply(changesAt(n), position(String(n)));
    await live.store.apply(changesAt(1), position('9'));
    await live.store.purge();
    const chunks = await built.store.chunkCount();
    await live.store.replaceScopes([SCOPE], built.store);
    for (const name of ['before', 'after']) {
      const copy = `${live.file}.${name}`;
      for (const part of ['', '-wal', '-pages']) await copyFile(`${live.file}${part}`, `${copy}${part}`);
      const emptied: string[] = [];
      const again = await openSqliteCatalog({
        file: copy,
        onEmptied: (reason) => emptied.push(reason),
        onDamage: (reason) => emptied.push(reason),
      });
      await again.check({ urgent: true });
      expect([emptied, await again.chunkCount(), await again.position()]).toEqual([[], chunks, 9n]);
      await again.close();
      await live.store.purge();
    }
    await live.dispose();
    await built.dispose();
  });

  it('changes nothing when rows cannot be replaced', async () => {
    const [live, built] = [await inFolder(openSqliteCatalog), await inFolder(openSqliteCatalog)];
    await live.store.apply(changesAt(1), position('1'));
    const chunks = await live.store.chunkCount();
    const db = new DatabaseSync(built.file);
    db.exec('DROP TABLE generations');
    db.close();
    await expect(live.store.replaceScopes([SCOPE], built.store)).rejects.toThrow('generations');
    await expect(live.store.replaceScopes([SCOPE], await live.store.createScratch())).rejects.toThrow(TypeError);
    expect([chunks > 0, await live.store.chunkCount()]).toEqual([true, chunks]);
    await live.store.apply(changesAt(2), position('2'));
    expect(await live.store.chunkCount()).toBeGreaterThan(chunks);
    await live.dispose();
    await built.dispose();
  });

  it('is discarded without copying the write-ahead file to the database', async () => {
    const { store, file, dispose } = await inFolder(openSqliteCatalog);
    await store.apply([], position('7'));
    const before = await readFile(file);
    await store.discard();
    expect((await readFile(file)).equals(before)).toBe(true);
    expect((await stat(`${file}-wal`)).size).toBeGreaterThan(0);
    await dispose();
  });
});
