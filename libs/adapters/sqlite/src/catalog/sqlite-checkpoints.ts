import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { position, START } from '@palimpsest/knowledge';
import type { Checkpoints, Position } from '@palimpsest/knowledge';

/** Checkpoints of the followers that have no store of their own to keep them in. */
export const openSqliteCheckpoints = async ({ file }: Readonly<{ file: string }>): Promise<Checkpoints> => {
  mkdirSync(dirname(file), { recursive: true });
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS checkpoints (name TEXT PRIMARY KEY, position TEXT NOT NULL) WITHOUT ROWID');
  return {
    async get(name: string): Promise<Position> {
      const row = db.prepare('SELECT position FROM checkpoints WHERE name = ?').get(name);
      return row ? position(row['position']) : START;
    },
    async set(name: string, reached: Position): Promise<void> {
      db.prepare('INSERT OR REPLACE INTO checkpoints VALUES (?, ?)').run(name, String(reached));
    },
    async close(): Promise<void> {
      if (db.isOpen) db.close();
    },
  };
};
