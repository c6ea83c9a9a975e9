import { rmSync } from 'node:fs';

/** The files of a catalog. */
export type CatalogFiles = Readonly<{ database: string; wal: string; sums: string }>;

export const catalogFiles = (path: string): CatalogFiles => ({ database: path, wal: `${path}-wal`, sums: `${path}-pages` });

/** Removes the database first: without it, SQLite ignores the other files. */
export const removeCatalogFiles = (path: string): void => {
  for (const part of [path, `${path}-journal`, `${path}-wal`, `${path}-shm`, `${path}-pages`, `${path}-pages.tmp`])
    rmSync(part, { force: true });
};
