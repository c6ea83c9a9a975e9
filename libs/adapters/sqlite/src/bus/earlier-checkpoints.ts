import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CheckpointTable } from './checkpoint-table.ts';

/** Queue files of version 1 had the checkpoints in a file of their own. */
const earlierFile = (queues: string): string => join(dirname(queues), 'checkpoints.db');

/** Copies the checkpoints from the file that version 1 kept them in. Call it in a transaction. @throws when SQLite cannot read the file */
export const adoptEarlierCheckpoints = (queues: string, table: CheckpointTable): void => {
  const file = earlierFile(queues);
  if (!existsSync(file)) return;
  const earlier = new DatabaseSync(file);
  try {
    // A process that was killed during its first start may have left the file without its table.
    if (earlier.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'checkpoints'").get() === undefined) return;
    for (const { name, position } of earlier.prepare('SELECT name, position FROM checkpoints').all()) {
      if (!/^\d+$/.test(String(position)))
        throw Object.assign(new Error(`a checkpoint in ${file} is damaged`), { errcode: SQLITE_CORRUPT });
      table.set(String(name), String(position));
    }
  } finally {
    earlier.close();
  }
};

const SQLITE_CORRUPT = 11;

/** Deletes that file; call it when the copies are durable. */
export const removeEarlierCheckpoints = (queues: string): void => {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${earlierFile(queues)}${ending}`, { force: true });
};
