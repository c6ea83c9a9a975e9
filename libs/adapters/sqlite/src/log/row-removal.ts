import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';

/** Removed in one transaction at most: few enough rows, and bytes of them, that an append barely has to wait for it. */
const ROWS_PER_TRANSACTION = 500;
const BYTES_PER_TRANSACTION = 2 * 1024 * 1024;

type Row = Record<string, SQLOutputValue>;

/** The oldest events of a stream. Parameters: stream id, maximum number of rows. `bytes`: known without reading the payload. */
export const OLDEST_EVENTS =
  'SELECT position, revision, recorded_at, octet_length(data) + octet_length(metadata) AS bytes FROM events WHERE stream = ? ORDER BY revision LIMIT ?';

/** The positions of events that one transaction removes. */
export class RemovalBatch {
  readonly positions: number[] = [];
  #bytes = 0;

  get isFull(): boolean {
    return this.positions.length >= ROWS_PER_TRANSACTION || this.#bytes >= BYTES_PER_TRANSACTION;
  }

  get rowsLeft(): number {
    return ROWS_PER_TRANSACTION - this.positions.length;
  }

  /** `row` is one of `OLDEST_EVENTS`. */
  add(row: Row): void {
    this.positions.push(Number(row['position']));
    this.#bytes += Number(row['bytes']);
  }
}

/** Removes events from the file. */
export class RowRemoval {
  readonly #database: DatabaseSync;
  readonly #remove: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#remove = database.prepare('DELETE FROM events WHERE position = ?');
  }

  /** `also` runs in the same transaction. Returns the number of removed events. */
  run({ positions }: RemovalBatch, also?: () => void): number {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const position of positions) this.#remove.run(position);
      also?.();
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
    return positions.length;
  }
}
