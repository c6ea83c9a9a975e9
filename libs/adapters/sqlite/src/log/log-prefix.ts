import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Corrupt, InvalidValue } from '@palimpsest/knowledge';
import { eventAt, eventsUpTo, positionsOfTypes } from './event-queries.ts';
import { inDomainErrors } from './fault-error.ts';
import type { StoredEvent } from './log-calls.ts';
import { inspect, numberOf } from './log-schema.ts';
import { retentionChecksum } from './event-checksum.ts';
import { damaged, retentionHolds, verified } from './stored-row.ts';

/** `lastRevision` is -1 when there was never an event; `maxAgeMs` is null for a stream that keeps everything. */
export type LogStream = Readonly<{ name: string; lastRevision: number; maxAgeMs: number | null }>;

/** Rows of a page, and the UTF-16 units of payload with which one ends early. */
const ROWS = 1_000;
const UNITS = 1024 * 1024;

/**
 * The log as it was at one moment, read beside the process that writes it, or when none does. Synchronous: it is for tools
 * that have nothing else to do. Memory is bounded by a page.
 * @throws InvalidValue when the file is no event log of ours; Corrupt, by the reads, at an event that is not what was written
 */
export const openLogPrefix = (file: string): LogPrefix => inDomainErrors(() => new LogPrefix(file));

/** A log that no start has taken over yet, as one that was: its age limits have no checksums, so nothing can be held against them. */
const asVersion2 = (database: DatabaseSync): void => {
  database.function('retention_checksum', (stream, maxAge) => retentionChecksum(String(stream), maxAge === null ? null : Number(maxAge)));
  database.exec('CREATE TEMP VIEW streams AS SELECT *, retention_checksum(name, max_age_ms) AS max_age_checksum FROM main.streams');
};

export class LogPrefix {
  /** The position of the last event of that moment. */
  readonly head: number;
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(file: string) {
    if (!existsSync(file)) throw new InvalidValue('event log', 'a file that is there', file);
    this.#database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    try {
      const found = inspect(this.#database, file);
      if (found === 'of version 1') asVersion2(this.#database);
      if (found === 'new') throw new InvalidValue('event log', 'a log that was begun', file);
      this.#database.exec('BEGIN'); // head and streams of one moment; `streams` ends it
      this.head = numberOf(this.#database, "SELECT seq FROM sqlite_sequence WHERE name = 'events'");
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Every stream with its last revision of that moment, in pages; to be read first, and once. */
  *streams(): Generator<readonly LogStream[]> {
    const page = this.#prepare('SELECT id, name, name AS stream, last_revision, max_age_ms, max_age_checksum FROM streams WHERE id > ? ORDER BY id LIMIT ?');
    for (let cursor = 0; ; ) {
      const rows = page.all(cursor, ROWS);
      // A copy would be given a checksum of its own: damage would be taken for what was set.
      const changed = rows.find((row) => !retentionHolds(row));
      if (changed) throw new Corrupt(`the age limit of stream ${String(changed['name'])} is damaged: it is not what was set`);
      if (rows.length > 0) yield rows.map((row) => ({ name: String(row['name']), lastRevision: Number(row['last_revision']), maxAgeMs: row['max_age_ms'] === null ? null : Number(row['max_age_ms']) }));
      if (rows.length < ROWS) break;
      cursor = Number(rows.at(-1)?.['id']);
    }
    // Events never change, and pages of them are short reads of their own: the writer's file of changes need not grow meanwhile.
    this.#database.exec('COMMIT');
  }

  /** Every event up to `head` that is still kept, in order, in pages. */
  *events(): Generator<readonly StoredEvent[]> {
    const statement = this.#prepare(eventsUpTo);
    for (let cursor = 0; ; ) {
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

  /** The events of one type, in order. */
  *eventsOfType(type: string): Generator<StoredEvent> {
    const id = this.#prepare('SELECT id FROM types WHERE name = ?').get(type)?.['id'];
    if (id === undefined) return;
    for (let cursor = 0; ; ) {
      const positions = this.#prepare(positionsOfTypes(1, 'forwards')).all(cursor, ROWS, Number(id));
      for (const { position } of positions) {
        if (Number(position) > this.head) return;
        const row = this.#prepare(eventAt).get(Number(position));
        if (row === undefined) continue; // past its stream's retention, and removed in between
        const event = verified(row);
        if (event === 'damaged') throw new Corrupt(damaged(position).message);
        yield event;
      }
      if (positions.length < ROWS) return;
      cursor = Number(positions.at(-1)?.['position']);
    }
  }

  /** The data (JSON text) of the events of one type before an event of the same stream. */
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
