import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { searchFolder } from '@palimpsest/foundation';
import { filesAfterKill, inTemporaryFolder } from '../../test/catalog-history.ts';
import { piecesOf, RandomSecrets } from '../../test/random-secrets.ts';
import { openSqliteCatalog } from './open-sqlite-catalog.ts';
import type { SqliteCatalog } from './sqlite-catalog.ts';

/** Without `clearGaps`, eight removed texts of the first history stay in the file. */
const SEED = 2;
const ADDED = 1_000;
const DELETIONS = 300;

describe('rows that were removed from a SqliteCatalog', () => {
  let folder: string;
  let file: string;
  const catalogs: SqliteCatalog[] = [];
  const problems: string[] = [];
  const open = async (path = file): Promise<SqliteCatalog> => {
    const report = (problem: string): void => void problems.push(problem);
    const catalog = await openSqliteCatalog({ file: path, isServing: () => false, onDamage: report, onEmptied: report });
    catalogs.push(catalog);
    return catalog;
  };
  const found = async (texts: readonly string[], within = folder, isLeftOut?: (path: string) => boolean): Promise<readonly string[]> => {
    const probes = texts.flatMap((name) => piecesOf(name).map((piece) => ({ name, bytes: Buffer.from(piece) })));
    return [...(await searchFolder(within, probes, isLeftOut ? { isLeftOut } : {})).found.keys()];
  };
  const steps = async (secrets: RandomSecrets, count: number, deletes: number): Promise<void> => {
    for (let n = 0; n < count; n++) await secrets.step(deletes);
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'removed-rows-'));
    file = join(folder, 'catalog.db');
    problems.length = 0;
  });
  afterEach(async () => {
    for (const catalog of catalogs.splice(0)) await catalog.close();
    rmSync(folder, { recursive: true });
  });

  it('are in none of its files after a purge, not even in parts, and all other rows are', async () => {
    const catalog = await open();
    const secrets = new RandomSecrets(catalog, SEED);
    await steps(secrets, ADDED, 0);
    await catalog.purge();
    await steps(secrets, DELETIONS, 1_000);
    await catalog.purge();
    expect(secrets.removed.length).toBeGreaterThan(DELETIONS);
    expect(await found(secrets.removed)).toEqual([]);
    expect([...(await found(secrets.kept))].sort()).toEqual([...secrets.kept].sort());
    await catalog.check({ urgent: true });
    for await (const { table, key } of catalog.rows()) if (table === 'structure') problems.push(key);
    expect(problems).toEqual([]);
  });

  it('are in none of its files after the first purge after a kill that left them in pages with the checksums of cleared ones', async () => {
    const catalog = await open();
    const secrets = new RandomSecrets(catalog, SEED);
    await steps(secrets, ADDED / 4, 0);
    await steps(secrets, DELETIONS / 4, 1_000);
    await catalog.commit();
    const files = new Map(filesAfterKill(file));
    await catalog.purge();
    files.set('-pages', filesAfterKill(file).get('-pages') ?? Buffer.alloc(0));
    await inTemporaryFolder(files, async (path) => {
      // Copies the pages as they are, and leaves the write-ahead file.
      const copying = new DatabaseSync(path);
      copying.exec('PRAGMA wal_checkpoint(FULL)');
      const killed = filesAfterKill(path);
      copying.close();
      await inTemporaryFolder(killed, async (again) => {
        const isWal = (each: string): boolean => each.endsWith('-wal');
        expect((await found(secrets.removed, dirname(again), isWal)).length).toBeGreaterThan(0);
        const reopened = await open(again);
        expect(await reopened.position()).toBe(await catalog.position());
        await reopened.purge();
        await reopened.check({ urgent: true });
        expect(await found(secrets.removed, dirname(again))).toEqual([]);
        expect(problems).toEqual([]);
        await reopened.close();
      });
    });
  });

  it('are gone after the purge that follows one that a reader interrupted', async () => {
    const catalog = await open();
    const secrets = new RandomSecrets(catalog, SEED);
    await steps(secrets, ADDED / 4, 0);
    await steps(secrets, DELETIONS / 4, 1_000);
    await catalog.commit();
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM documents').get();
    await expect(catalog.purge()).rejects.toThrow('is reading');
    await catalog.check({ urgent: true });
    reader.close();
    await steps(secrets, 20, 500);
    await catalog.purge();
    await catalog.check({ urgent: true });
    expect(await found(secrets.removed)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
