import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';

/**
 * The positions of the followers of the log, in the file of the queues. The relay's position says which work was published. If the end of
 * the file is lost, the position is lost together with the messages that it covers, and the relay publishes them again.
 */
export class CheckpointTable {
  private readonly find: StatementSync;
  private readonly replace: StatementSync;
  private readonly all: StatementSync;

  constructor(db: DatabaseSync) {
    this.find = db.prepare('SELECT position FROM checkpoints WHERE name = ?');
    this.replace = db.prepare('INSERT OR REPLACE INTO checkpoints (name, position, checksum) VALUES (?, ?, ?)');
    this.all = db.prepare('SELECT name, position, checksum FROM checkpoints');
  }

  get(name: string): string | undefined {
    const position = this.find.get(name)?.['position'];
    return position === undefined ? undefined : String(position);
  }

  set(name: string, position: string): void {
    this.replace.run(name, position, checksumOf(name, position));
  }

  /** The name of a checkpoint that was changed on disk, if any. */
  damaged(): string | undefined {
    for (const { name, position, checksum } of this.all.all())
      if (checksum !== checksumOf(String(name), String(position))) return String(name);
    return undefined;
  }
}

const checksumOf = (name: string, position: string): number => crc32(`${name} ${position}`);
