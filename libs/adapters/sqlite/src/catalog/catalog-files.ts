import { rmSync } from 'node:fs';

/** What a catalogue consists of on disk. */
export type CatalogFiles = Readonly<{ database: string; wal: string; sums: string }>;

export const catalogFiles = (path: string): CatalogFiles => ({ database: path, wal: `${path}-wal`, sums: `${path}-pages` });

/** The database first: without it, SQLite takes nothing that is left for anything. */
export const removeCatalogFiles = (path: string): void => {
  for (const part of [path, `${path}-journal`, `${path}-wal`, `${path}-shm`, `${path}-pages`, `${path}-pages.tmp`]) rmSync(part, { force: true });
};
