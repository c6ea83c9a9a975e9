import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { firstRevisionChecksum } from './event-checksum.ts';
import { OLDEST_EVENTS, RemovalBatch, RowRemoval } from './row-removal.ts';
import { truncationHolds, type Row } from './stored-row.ts';
import { WorkerFault } from './worker-protocol.ts';

/**
 * Truncates streams. Readers skip the events below the first revision of a stream as soon as it is stored; their rows are removed after
 * that in small steps, which continue after a restart. Runs in the writer thread.
 */
export class EventTruncation {
  readonly #stream: StatementSync;
  readonly #setFirst: StatementSync;
  readonly #begin: StatementSync;
  readonly #begun: StatementSync;
  readonly #end: StatementSync;
  readonly #oldest: StatementSync;
  readonly #removal: RowRemoval;
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    const columns = 'id, name AS stream, last_revision, first_revision, first_revision_checksum';
    this.#stream = database.prepare(`SELECT ${columns} FROM streams WHERE name = ?`);
    this.#setFirst = database.prepare('UPDATE streams SET first_revision = ?, first_revision_checksum = ? WHERE id = ?');
    this.#begin = database.prepare('INSERT OR IGNORE INTO truncations (stream) VALUES (?)');
    this.#begun = database.prepare(
      `SELECT ${columns} FROM truncations JOIN streams ON id = truncations.stream ORDER BY truncations.stream`,
    );
    this.#end = database.prepare('DELETE FROM truncations WHERE stream = ?');
    this.#oldest = database.prepare(OLDEST_EVENTS);
    this.#removal = new RowRemoval(database);
  }

  /** Stores the first revision to keep, unless it is already as high. @throws WorkerFault InvalidValue if it is not in the stream */
  truncate(stream: string, first: number): void {
    const row = this.#stream.get(stream);
    const last = row === undefined ? -1 : Number(row['last_revision']);
    if (first > last) throw aboveLast(stream, last, first);
    if (row === undefined || first <= firstOf(row)) return;
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      this.#setFirst.run(first, firstRevisionChecksum(stream, first), Number(row['id']));
      this.#begin.run(Number(row['id']));
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Removes some rows of truncated events. Returns false if none are left. */
  removeSome(): boolean {
    const batch = new RemovalBatch();
    const complete: number[] = [];
    for (const row of this.#begun.iterate()) {
      if (!this.#addRows(batch, Number(row['id']), firstOf(row))) break;
      complete.push(Number(row['id']));
      if (batch.isFull) break;
    }
    if (batch.positions.length === 0 && complete.length === 0) return false;
    this.#removal.run(batch, () => complete.forEach((id) => this.#end.run(id)));
    return true;
  }

  /** Returns false if the stream may have more of these rows. */
  #addRows(batch: RemovalBatch, stream: number, first: number): boolean {
    const room = batch.rowsLeft;
    let rows = 0;
    for (const row of this.#oldest.iterate(stream, room)) {
      if (Number(row['revision']) >= first) return true;
      if (batch.isFull) return false;
      batch.add(row);
      rows += 1;
    }
    return rows < room;
  }
}

/** @throws WorkerFault Corrupt */
const firstOf = (row: Row): number => {
  if (truncationHolds(row)) return Number(row['first_revision']);
  throw new WorkerFault({
    code: 'Corrupt',
    message: `the first revision of stream ${String(row['stream'])} is damaged: no events of this stream are removed`,
  });
};

const aboveLast = (stream: string, last: number, got: number): WorkerFault =>
  new WorkerFault({
    code: 'InvalidValue',
    field: 'before',
    expected:
      last < 0 ? `a revision of a stream with events (${stream} has none)` : `at most ${last}, the last revision of stream ${stream}`,
    got: String(got),
  });
