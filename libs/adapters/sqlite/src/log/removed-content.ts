import type { DatabaseSync } from 'node:sqlite';
import { rewriteWal } from '../rewrite-wal.ts';

/** How long appends may have to wait for a reader. Readers of this process need some milliseconds, a check or a backup longer. */
const WAIT_MS = 200;

/**
 * The write-ahead file contains older pages, with events that were removed since, until SQLite overwrites them, which may be never. It is
 * emptied after a removal. If another process reads a long snapshot, that has to wait: it is repeated with each sweep, and at the next
 * start.
 */
export class RemovedContent {
  readonly #database: DatabaseSync;
  readonly #timeoutMs: number;
  #inWal = false;

  /** `timeoutMs`: the busy timeout of the connection. */
  constructor(database: DatabaseSync, timeoutMs: number) {
    this.#database = database;
    this.#timeoutMs = timeoutMs;
  }

  /** Events were removed from the database. */
  added(): void {
    this.#inWal = true;
  }

  /** Empties the write-ahead file if it may contain removed events. */
  erase(): void {
    if (!this.#inWal) return;
    this.#database.exec(`PRAGMA busy_timeout = ${WAIT_MS}`);
    try {
      this.#inWal = !rewriteWal(this.#database);
    } finally {
      this.#database.exec(`PRAGMA busy_timeout = ${this.#timeoutMs}`);
    }
  }
}
