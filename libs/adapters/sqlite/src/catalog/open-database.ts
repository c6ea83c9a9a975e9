import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { catalogFiles, removeCatalogFiles } from './catalog-files.ts';
import { prepareCatalog, prepareTemporaryCatalog } from './catalog-schema.ts';
import { isDamage } from './is-damage.ts';
import { damageAtRest } from './page-check.ts';
import { PageSums } from './page-sums.ts';

/** An open catalog; `emptied`: why its previous content was deleted. */
export type OpenDatabase = Readonly<{ db: DatabaseSync; emptied?: string }>;

/**
 * Opens the catalog after comparing all of its pages with their checksums, so that no row of a damaged page is ever returned.
 * @throws when the file cannot be created or opened
 */
export const openDatabase = (path: string): OpenDatabase => {
  mkdirSync(dirname(path), { recursive: true });
  const damage = removedBecause(path);
  try {
    return { db: prepared(path), ...(damage === undefined ? {} : { emptied: damage }) };
  } catch (error) {
    if (!isDamage(error)) throw error;
    removeCatalogFiles(path);
    return { db: prepared(path), emptied: error instanceof Error ? error.message : String(error) };
  }
};

/** An empty catalog that is deleted after use. Without `path` it is in an unnamed file, which closing it deletes. */
export const temporaryDatabase = (path = ''): DatabaseSync => {
  if (path !== '') {
    mkdirSync(dirname(path), { recursive: true });
    removeCatalogFiles(path);
  }
  const db = new DatabaseSync(path);
  prepareTemporaryCatalog(db);
  return db;
};

/** Deletes the catalog and creates an empty one. */
export const newDatabase = (path: string): DatabaseSync => {
  removeCatalogFiles(path);
  return prepared(path);
};

/**
 * Closes a catalog whose files are deleted next. When the last connection closes, SQLite copies the write-ahead file to the database, which
 * takes long and blocks the caller. A connection that only reads cannot do that, so it is closed last.
 */
export const closeWithoutCheckpoint = (db: DatabaseSync, path: string): void => {
  let last: DatabaseSync | undefined;
  try {
    last = new DatabaseSync(path, { readOnly: true });
    // SQLite opens the files at the first read.
    last.prepare('PRAGMA user_version').get();
  } catch {
    // The files are damaged or gone: nothing is copied.
  } finally {
    db.close();
    last?.close();
  }
};

/** Removes files that cannot be used. Returns why, if they are damaged. */
const removedBecause = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) return undefined; // SQLite reports it
  const damage = found && damageAtRest(path);
  // Without a database, SQLite ignores the other files.
  if (damage !== undefined || !found) removeCatalogFiles(path);
  return damage;
};

const prepared = (path: string): DatabaseSync => {
  const { sums } = catalogFiles(path);
  if (!existsSync(sums)) new PageSums().write(sums);
  const db = new DatabaseSync(path);
  try {
    prepareCatalog(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};
