import { rmSync } from 'node:fs';

/** `isTemporary`: it is deleted after use, so nothing waits for the disk, and pages have no checksums. */
export type CatalogFile = Readonly<{ path: string; isTemporary: boolean }>;

/** The files of a catalog. */
export type CatalogFiles = Readonly<{ database: string; wal: string; sums: string }>;

export const catalogFiles = (path: string): CatalogFiles => ({ database: path, wal: `${path}-wal`, sums: `${path}-pages` });

/** Removes the database first: without it, SQLite ignores the other files. */
export const removeCatalogFiles = (path: string): void => {
  for (const part of [path, `${path}-journal`, `${path}-wal`, `${path}-shm`, `${path}-pages`, `${path}-pages.tmp`])
    rmSync(part, { force: true });
};
