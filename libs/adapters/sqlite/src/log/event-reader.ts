import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Chunk, ChunkRequest, StoredEvent } from './log-calls.ts';
import { eventAt, eventsOfLog, eventsOfStream, positionsOfTypes } from './event-queries.ts';
import { Revisions } from './revisions.ts';
import { damaged, isRemoved, verified, type Row } from './stored-row.ts';

/** A chunk ends with the event that reaches this many UTF-16 units of payload, because the main thread receives it in one step. */
const CHUNK_UNITS = 1024 * 1024;

/** Reads the file in chunks, each in its own transaction. Runs in the reader thread. */
export class EventReader {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** @throws WorkerFault: Corrupt with the position of a damaged event */
  read(request: ChunkRequest): Chunk {
    this.#database.exec('BEGIN'); // one consistent snapshot of head and events
    try {
      const head = Number(this.#prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'").get()?.['seq'] ?? 0);
      return { ...this.#collect(request), head };
    } finally {
      this.#database.exec('COMMIT');
    }
  }

  #collect(request: ChunkRequest): Omit<Chunk, 'head'> {
    const events: StoredEvent[] = [];
    let { cursor } = request;
    let rowsRead = 0;
    let units = 0;
    const revisions = request.stream === undefined ? undefined : new Revisions(request);
    for (const row of this.#rows(request)) {
      rowsRead += 1;
      revisions?.next(row);
      const event = isRemoved(row, request.now) ? undefined : verified(row);
      // Events before the damaged one are still returned. The next chunk starts with the damaged event and fails.
      if (event === 'damaged' && events.length > 0) return { events, cursor, end: false };
      if (event === 'damaged') throw damaged(row['position']);
      cursor = Number(request.stream === undefined ? row['position'] : row['revision']);
      if (event === undefined) continue;
      events.push(event);
      units += event.data.length + event.metadata.length;
      if (units >= CHUNK_UNITS) return { events, cursor, end: false };
    }
    const end = rowsRead < request.rows;
    if (end)
      revisions?.end(
        request.stream ?? '',
        this.#prepare('SELECT last_revision, max_age_ms, first_revision FROM streams WHERE name = ?').get(request.stream ?? ''),
      );
    return { events, cursor, end };
  }

  #rows(request: ChunkRequest): Iterable<Row> {
    const { stream, types, direction, cursor, rows } = request;
    if (types !== undefined) return this.#rowsOfTypes(types, request);
    if (stream === undefined) return this.#prepare(eventsOfLog(direction)).iterate(cursor, rows);
    const id = this.#prepare('SELECT id FROM streams WHERE name = ?').get(stream)?.['id'];
    return id === undefined ? [] : this.#prepare(eventsOfStream(direction)).iterate(Number(id), cursor, rows);
  }

  *#rowsOfTypes(types: readonly string[], { direction, cursor, rows }: ChunkRequest): Iterable<Row> {
    const known = types.flatMap((type) => this.#prepare('SELECT id FROM types WHERE name = ?').get(type)?.['id'] ?? []);
    if (known.length === 0) return;
    const positions = this.#prepare(positionsOfTypes(known.length, direction)).iterate(cursor, rows, ...known);
    for (const { position } of positions) {
      const row = this.#prepare(eventAt).get(Number(position));
      if (row === undefined) throw damaged(position); // in the type index, but not in the log
      yield row;
    }
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}
