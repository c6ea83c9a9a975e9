import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { eventChecksum } from './event-checksum.ts';
import type { AppendAnswer, EncodedAppend, StoredEvent } from './log-calls.ts';

type StreamState = Readonly<{ id: number | undefined; last: number }>;
type Place = Readonly<{ stream: number; revision: number; position: number }>;

/** The maximum number of streams whose last revision is cached. The cache is cleared when it is full. */
const MAX_CACHED_STREAMS = 10_000;

/** Appends to the file, one transaction per group. It is the only writer, so it caches what it reads. Runs in the writer thread. */
export class EventWriter {
  readonly #database: DatabaseSync;
  readonly #statements: ReturnType<typeof statementsOf>;
  readonly #typeIds = new Map<string, number>();
  readonly #streams = new Map<string, StreamState>();
  #head: number | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = statementsOf(database);
  }

  /**
   * Writes all appends in one transaction with one flush. A conflict in one append does not affect the others: each append is checked
   * completely before any of its events is written. `now` (Unix ms) is recorded as the time of each event. When it throws, nothing of
   * the group was written.
   */
  append(appends: readonly EncodedAppend[], now: number): readonly AppendAnswer[] {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const answers = appends.map((append) => this.#appendOne(append, now));
      this.#database.exec('COMMIT');
      return answers;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      this.#clearCache(); // it may hold values from the transaction that was rolled back
      throw error;
    }
  }

  #appendOne(append: EncodedAppend, now: number): AppendAnswer {
    const stream = this.#streamOf(append.stream);
    const found = append.ids.map((id) => this.#placeOf(id));
    if (found.every((place) => place === undefined)) {
      if (append.expected !== stream.last) return { outcome: 'conflict', actual: stream.last };
      return this.#insert(append, stream, now);
    }
    const last = found.at(-1);
    const same = found.every((place, index) => place?.stream === stream.id && place?.revision === append.expected + 1 + index);
    if (!same || last === undefined) return { outcome: 'conflict', actual: stream.last };
    return { outcome: 'appended', revision: last.revision, position: last.position, repeated: true };
  }

  #insert(append: EncodedAppend, before: StreamState, now: number): AppendAnswer {
    const last = before.last + append.ids.length;
    const stream = before.id ?? Number(this.#statements.addStream.run(append.stream, last).lastInsertRowid);
    if (before.id !== undefined) this.#statements.moveStream.run(last, stream);
    const lines = append.lines.split('\n');
    let position = (this.#head ??= Number(this.#statements.head.get()?.['seq'] ?? 0));
    append.ids.forEach((id, index) => {
      const [type = '', data = '', metadata = ''] = lines.slice(3 * index, 3 * index + 3);
      position += 1;
      const event = { position, stream: append.stream, revision: before.last + 1 + index, recordedAt: now, type, id, data, metadata };
      this.#insertEvent(event, stream);
    });
    this.#head = position;
    if (this.#streams.size >= MAX_CACHED_STREAMS) this.#streams.clear();
    this.#streams.set(append.stream, { id: stream, last });
    return { outcome: 'appended', revision: last, position, repeated: false };
  }

  #insertEvent(event: StoredEvent, stream: number): void {
    const { position, revision, type, id, recordedAt, data, metadata } = event;
    const typeId = this.#typeIdOf(type);
    const checksum = eventChecksum(event);
    this.#statements.addEvent.run(position, stream, revision, typeId, Buffer.from(id, 'hex'), recordedAt, checksum, data, metadata);
  }

  #clearCache(): void {
    this.#typeIds.clear();
    this.#streams.clear();
    this.#head = undefined;
  }

  #streamOf(name: string): StreamState {
    const known = this.#streams.get(name);
    if (known !== undefined) return known;
    const row = this.#statements.stream.get(name);
    return row === undefined ? { id: undefined, last: -1 } : { id: Number(row['id']), last: Number(row['last_revision']) };
  }

  #placeOf(id: string): Place | undefined {
    const row = this.#statements.place.get(Buffer.from(id, 'hex'));
    return row && { stream: Number(row['stream']), revision: Number(row['revision']), position: Number(row['position']) };
  }

  #typeIdOf(name: string): number {
    const known = this.#typeIds.get(name) ?? this.#statements.type.get(name)?.['id'];
    const id = Number(known ?? this.#statements.addType.run(name).lastInsertRowid);
    this.#typeIds.set(name, id);
    return id;
  }
}

const statementsOf = (database: DatabaseSync) => {
  const prepare = (sql: string): StatementSync => database.prepare(sql);
  return {
    head: prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'"),
    stream: prepare('SELECT id, last_revision FROM streams WHERE name = ?'),
    addStream: prepare('INSERT INTO streams (name, last_revision) VALUES (?, ?)'),
    moveStream: prepare('UPDATE streams SET last_revision = ? WHERE id = ?'),
    place: prepare('SELECT stream, revision, position FROM events WHERE id = ?'),
    type: prepare('SELECT id FROM types WHERE name = ?'),
    addType: prepare('INSERT INTO types (name) VALUES (?)'),
    addEvent: prepare(
      'INSERT INTO events (position, stream, revision, type, id, recorded_at, checksum, data, metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ),
  };
};
