import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Corrupt, Unavailable } from '@palimpsest/knowledge/errors';
import { position, START } from '@palimpsest/knowledge/values';
import type { Checkpoints } from '@palimpsest/knowledge/ports';
import type { Position } from '@palimpsest/knowledge/values';
import { sideThread } from './side-thread.ts';

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
const SCHEMA =
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS checkpoints (name TEXT PRIMARY KEY, position TEXT NOT NULL) WITHOUT ROWID';

const SET = 'INSERT OR REPLACE INTO checkpoints VALUES (?, ?)';

/** Checkpoints of followers that have no store of their own. Each checkpoint is on disk when `set` resolves. @throws Corrupt, Unavailable */
export const openSqliteCheckpoints = async ({ file }: Readonly<{ file: string }>): Promise<Checkpoints> => {
  mkdirSync(dirname(file), { recursive: true });
  const db = new DatabaseSync(file);
  try {
    db.exec(SCHEMA);
    for (const row of db.prepare('SELECT position FROM checkpoints').all()) position(row['position']);
  } catch (cause) {
    db.close();
    const code = typeof cause === 'object' && cause !== null && 'errcode' in cause ? Number(cause.errcode) & 0xff : undefined;
    if (code !== undefined && code !== SQLITE_CORRUPT && code !== SQLITE_NOTADB)
      throw new Unavailable(`the checkpoint file ${file} cannot be used: ${String(cause)}`, { cause });
    throw new Corrupt(
      `the checkpoint file ${file} is damaged: ${cause instanceof Error ? cause.message : String(cause)}. Stop the platform and delete the folder of the file; pending work is then rebuilt from the log`,
      { cause },
    );
  }
  const side = sideThread(file);
  // Start the thread now, because the first checkpoint follows soon. If the start fails, the first `set` reports it.
  side.open().catch(() => undefined);
  return {
    async get(name: string): Promise<Position> {
      const row = db.prepare('SELECT position FROM checkpoints WHERE name = ?').get(name);
      return row ? position(row['position']) : START;
    },
    async set(name: string, reached: Position): Promise<void> {
      await side.call('run', { sql: SET, values: [name, String(reached)] });
    },
    async close(): Promise<void> {
      await side.close();
      if (db.isOpen) db.close();
    },
  };
};
