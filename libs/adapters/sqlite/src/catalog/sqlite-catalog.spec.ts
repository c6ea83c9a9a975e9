import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { authorise, knowledgeBaseId, position, START, tenantId, vectorScope, type CatalogChange, type CatalogRow } from '@palimpsest/knowledge';
import { describeCatalog, describeCheckpoints } from '@palimpsest/test-kit';
import { openSqliteCatalog, type SqliteCatalog } from './sqlite-catalog.ts';
import { openSqliteCheckpoints } from './sqlite-checkpoints.ts';

const rowsOf = async (catalog: SqliteCatalog): Promise<readonly CatalogRow[]> => {
  const rows: CatalogRow[] = [];
  for await (const row of catalog.rows()) rows.push(row);
  return rows;
};

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
  it('empties a file of another version, whatever tables it has, and begins anew', async () => {
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

  it('begins anew where the file is damaged, since the log has it all', async () => {
    const { store, file, reopen, dispose } = await inFolder(openSqliteCatalog);
    await store.apply([], position('7'));
    await store.close();
    await writeFile(file, 'This is no database, and has not been one for a long time. '.repeat(100));
    expect(await (await reopen()).position()).toBe(START);
    await dispose();
  });

  it('tells of any byte that changed on disk by its rows or its structure, or shows what it showed', async () => {
    const { store, file, dispose } = await inFolder(openSqliteCatalog);
    const tenant = tenantId('acme');
    const scope = vectorScope('deployment');
    const scopes = authorise({ tenant, teams: [], user: 'ann', roles: ['reader'], actor: 'spec' }, [scope]);
    const changes = Array.from({ length: 40 }, (_, n): CatalogChange => ({
      change: 'knowledge-base-created', tenant, scope, id: knowledgeBaseId(`base-${n}`), settings: { name: `Base ${n}`, description: 'x'.repeat(n * 7), chunking: {} as never }, at: '2026-01-01T00:00:00Z',
    }));
    await store.apply(changes, position('7'));
    const seen = async (catalog: SqliteCatalog) => ({ rows: await rowsOf(catalog), shown: await catalog.knowledgeBases(scopes) });
    const before = await seen(store);
    await store.close();
    const sound = await readFile(file);
    const opened = async <T>(look: (catalog: SqliteCatalog) => Promise<T>): Promise<T> => {
      const catalog = await openSqliteCatalog({ file });
      return look(catalog).finally(() => catalog.close());
    };
    let told = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: sound.length - 1 }), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
        const bytes = Buffer.from(sound);
        bytes.writeUInt8(bytes.readUInt8(at) ^ mask, at);
        await writeFile(file, bytes);
        const found = await opened(seen).catch((error: unknown) => ({ rows: [error], shown: undefined }));
        for (const part of [`${file}-wal`, `${file}-shm`]) await rm(part, { force: true });
        if (isDeepStrictEqual(found.rows, before.rows)) expect(found.shown).toEqual(before.shown);
        else told++;
      }),
      { numRuns: 150, examples: Array.from({ length: 12 }, (_, i): [number, number] => [sound.indexOf('Base 1') + i * 3, 0x15]) },
    );
    expect(told).toBeGreaterThan(5);
    await dispose();
  });

  it('says what is wrong when the file cannot be opened at all', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sqlite-catalog-'));
    await expect(openSqliteCatalog({ file: folder })).rejects.toThrow(/unable to open/);
    await rm(folder, { recursive: true });
  });
});
