import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Corrupt, InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import { eventAt, eventsUpTo, positionsOfTypes } from './event-queries.ts';
import { inDomainErrors } from './fault-error.ts';
import type { StoredEvent } from './log-calls.ts';
import { inspect, numberOf, viewAsCurrent } from './log-schema.ts';
import { damaged, retentionHolds, truncationHolds, verified } from './stored-row.ts';

/** `lastRevision` is -1 when there was never an event; `maxAgeMs` is null for a stream that keeps everything. */
export type LogStream = Readonly<{ name: string; lastRevision: number; maxAgeMs: number | null }>;
/** Its events with a lower revision were removed for good. */
export type TruncatedStream = Readonly<{ name: string; firstRevision: number }>;

/** The maximum number of rows per page, and the UTF-16 units of payload that end a page early. */
const ROWS = 1_000;
const UNITS = 1024 * 1024;

/** First revisions only grow. */
const TRUNCATIONS = 'SELECT count(*) + total(first_revision) FROM streams WHERE first_revision IS NOT NULL';

/**
 * Opens a snapshot of the log. Another process may write to the log at the same time. Synchronous, because it is for tools that do
 * nothing else. Uses the memory of one page.
 * @throws InvalidValue when the file is not an event log; the reads throw Corrupt at a damaged event
 */
export const openLogPrefix = (file: string): LogPrefix => inDomainErrors(() => new LogPrefix(file));

export class LogPrefix {
  /** The position of the last event in the snapshot. */
  readonly head: number;
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  /** Row id of the last stream in the snapshot. */
  #lastStream = 0;
  /** Grows with each truncation of a stream in the snapshot. */
  readonly #truncations: number;

  constructor(file: string) {
    if (!existsSync(file)) throw new InvalidValue('event log', 'an existing file', file);
    this.#database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    try {
      const found = inspect(this.#database, file);
      if (found === 'new') throw new InvalidValue('event log', 'a file that contains an event log', file);
      viewAsCurrent(this.#database, found);
      this.#database.exec('BEGIN'); // one consistent snapshot of head and streams; `streams` ends it
      this.head = numberOf(this.#database, "SELECT seq FROM sqlite_sequence WHERE name = 'events'");
      this.#truncations = numberOf(this.#database, TRUNCATIONS);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Yields every stream with its last revision in the snapshot, in pages. Must be read first, and only once. */
  *streams(): Generator<readonly LogStream[]> {
    const page = this.#prepare(
      'SELECT id, name, name AS stream, last_revision, max_age_ms, max_age_checksum FROM streams WHERE id > ? ORDER BY id LIMIT ?',
    );
    for (let cursor = 0; ;) {
      const rows = page.all(cursor, ROWS);
      // A copy would compute a new checksum and so treat the damaged limit as valid.
      const changed = rows.find((row) => !retentionHolds(row));
      if (changed) throw new Corrupt(`the age limit of stream ${String(changed['name'])} is damaged`);
      if (rows.length > 0)
        yield rows.map((row) => ({
          name: String(row['name']),
          lastRevision: Number(row['last_revision']),
          maxAgeMs: row['max_age_ms'] === null ? null : Number(row['max_age_ms']),
        }));
      cursor = this.#lastStream = Number(rows.at(-1)?.['id'] ?? cursor);
      if (rows.length < ROWS) break;
    }
    // Events never change, so each page is a short read of its own, and the write-ahead file of the writer need not grow meanwhile.
    this.#database.exec('COMMIT');
  }

  /**
   * Yields the truncated streams of the snapshot, in pages. Must be read after the events: streams may be truncated while these are read.
   * @throws Unavailable when a stream was truncated meanwhile: what it still needs may have been repeated after the snapshot
   */
  *truncated(): Generator<readonly TruncatedStream[]> {
    const page = this.#prepare(
      `SELECT id, name, name AS stream, first_revision, first_revision_checksum
      FROM streams s WHERE id > ? AND id <= ? AND (first_revision IS NOT NULL OR first_revision_checksum IS NOT NULL) ORDER BY id LIMIT ?`,
    );
    for (let cursor = 0; ;) {
      const rows = page.all(cursor, this.#lastStream, ROWS);
      for (const row of rows) {
        if (!truncationHolds(row)) throw new Corrupt(`the first revision of stream ${String(row['name'])} is damaged`);
      }
      if (rows.length > 0) yield rows.map((row) => ({ name: String(row['name']), firstRevision: Number(row['first_revision']) }));
      if (rows.length < ROWS) break;
      cursor = Number(rows.at(-1)?.['id']);
    }
    if (numberOf(this.#database, `${TRUNCATIONS} AND id <= ${this.#lastStream}`) !== this.#truncations)
      throw new Unavailable('old history was removed from the log while it was read: read it again');
  }

  /** Yields every stored event up to `head`, in order, in pages: also those that the log is about to remove. */
  *events(): Generator<readonly StoredEvent[]> {
    const statement = this.#prepare(eventsUpTo);
    for (let cursor = 0; ;) {
      const events: StoredEvent[] = [];
      let units = 0;
      for (const row of statement.iterate(cursor, this.head, ROWS)) {
        const event = verified(row);
        if (event === 'damaged') throw new Corrupt(damaged(row['position']).message);
        events.push(event);
        units += event.data.length + event.metadata.length;
        if (units >= UNITS) break;
      }
      const last = events.at(-1);
      if (last === undefined) return;
      yield events;
      cursor = last.position;
    }
  }

  /** Yields the events of one type, in order. */
  *eventsOfType(type: string): Generator<StoredEvent> {
    const id = this.#prepare('SELECT id FROM types WHERE name = ?').get(type)?.['id'];
    if (id === undefined) return;
    for (let cursor = 0; ;) {
      const positions = this.#prepare(positionsOfTypes(1, 'forwards')).all(cursor, ROWS, Number(id));
      for (const { position } of positions) {
        if (Number(position) > this.head) return;
        const row = this.#prepare(eventAt).get(Number(position));
        if (row === undefined) continue; // removed by retention in the meantime
        const event = verified(row);
        if (event === 'damaged') throw new Corrupt(damaged(position).message);
        yield event;
      }
      if (positions.length < ROWS) return;
      cursor = Number(positions.at(-1)?.['position']);
    }
  }

  /** Yields the data (JSON text) of the events of one type that precede an event in its stream. */
  *earlierOfType(type: string, { stream, revision }: Pick<StoredEvent, 'stream' | 'revision'>): Generator<string> {
    const earlier = `SELECT data FROM events WHERE stream = (SELECT id FROM streams WHERE name = ?) AND revision < ? AND type = (SELECT id FROM types WHERE name = ?)`;
    for (const row of this.#prepare(earlier).all(stream, revision, type)) yield String(row['data']);
  }

  close(): void {
    this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}
