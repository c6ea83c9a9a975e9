import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { syncFileSync, syncFolderSync } from '@palimpsest/foundation';
import { Corrupt, InvalidValue } from '@palimpsest/knowledge/errors';
import { eventChecksum, firstRevisionChecksum, retentionChecksum } from './event-checksum.ts';
import type { StoredEvent } from './log-calls.ts';
import type { LogStream, TruncatedStream } from './log-prefix.ts';
import { makeIndexes, makeTables } from './log-schema.ts';

/** The maximum number of streams whose row ids are cached; the events of one stream mostly follow each other. */
const MAX_CACHED_STREAMS = 1_000;

const BEGIN_TRUNCATIONS = `
  INSERT INTO truncations (stream) SELECT id FROM streams s
  WHERE first_revision IS NOT NULL AND EXISTS (SELECT 1 FROM events e WHERE e.stream = s.id AND e.revision < s.first_revision)`;

/**
 * Writes a new log from the streams and events of another one, which keep their positions, revisions, ids and times. The file is
 * not usable before `finish`. The caller must delete it when `finish` did not succeed.
 */
export class LogCopy {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #statements: Readonly<Record<'addStream' | 'stream' | 'truncate' | 'addType' | 'addEvent', StatementSync>>;
  readonly #types = new Map<string, number>();
  readonly #streams = new Map<string, number>();

  constructor(file: string) {
    if (existsSync(file)) throw new InvalidValue('event log', 'a file that does not exist yet', file);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    this.#file = file;
    this.#database = new DatabaseSync(file);
    // No process reads the file before it is complete, and `finish` syncs it.
    this.#database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; PRAGMA locking_mode = EXCLUSIVE');
    makeTables(this.#database);
    this.#statements = {
      addStream: this.#database.prepare('INSERT INTO streams (name, last_revision, max_age_ms, max_age_checksum) VALUES (?, ?, ?, ?)'),
      stream: this.#database.prepare('SELECT id FROM streams WHERE name = ?'),
      truncate: this.#database.prepare('UPDATE streams SET first_revision = ?, first_revision_checksum = ? WHERE id = ?'),
      addType: this.#database.prepare('INSERT INTO types (name) VALUES (?)'),
      addEvent: this.#database.prepare(
        'INSERT INTO events (position, stream, revision, type, id, recorded_at, checksum, data, metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ),
    };
    this.#database.exec('BEGIN');
  }

  addStream({ name, lastRevision, maxAgeMs }: LogStream): void {
    this.#statements.addStream.run(name, lastRevision, maxAgeMs, retentionChecksum(name, maxAgeMs));
  }

  /** Events below the first revision may have been added: they are removed after the log was opened. @throws Corrupt */
  truncate({ name, firstRevision }: TruncatedStream): void {
    const id = this.#idOf(name);
    if (id === undefined) throw new Corrupt(`stream ${name} was truncated, but does not exist`);
    this.#statements.truncate.run(firstRevision, firstRevisionChecksum(name, firstRevision), id);
  }

  /** @throws Corrupt when its stream was not added before */
  addEvent(event: StoredEvent): void {
    const { position, revision, id, recordedAt, data, metadata } = event;
    const [stream, type] = [this.#streamOf(event), this.#typeOf(event.type)];
    this.#statements.addEvent.run(
      position,
      stream,
      revision,
      type,
      Buffer.from(id, 'hex'),
      recordedAt,
      eventChecksum(event),
      data,
      metadata,
    );
  }

  /** Everything is on disk when it returns. `head`: the position of the last event ever written. @throws Corrupt */
  finish(head: number): void {
    try {
      this.#database.exec("DELETE FROM sqlite_sequence WHERE name = 'events'");
      this.#database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ?)").run(head);
      makeIndexes(this.#database);
      this.#database.exec(BEGIN_TRUNCATIONS);
      this.#database.exec('COMMIT');
    } catch (error) {
      if (/UNIQUE/.test(String(error))) throw new Corrupt('two events have the same id or the same place in a stream', { cause: error });
      throw error;
    }
    this.#database.exec('PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = WAL');
    this.close();
    syncFileSync(this.#file, 'r');
    syncFolderSync(dirname(this.#file));
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #streamOf({ stream, position }: StoredEvent): number {
    const known = this.#idOf(stream);
    if (known === undefined) throw new Corrupt(`the event at position ${position} belongs to a stream that does not exist`);
    if (this.#streams.size >= MAX_CACHED_STREAMS) this.#streams.clear();
    this.#streams.set(stream, known);
    return known;
  }

  #idOf(name: string): number | undefined {
    const known = this.#streams.get(name) ?? this.#statements.stream.get(name)?.['id'];
    return known === undefined ? undefined : Number(known);
  }

  #typeOf(name: string): number {
    const known = this.#types.get(name) ?? Number(this.#statements.addType.run(name).lastInsertRowid);
    this.#types.set(name, known);
    return known;
  }
}
