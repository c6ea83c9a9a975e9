import { DatabaseSync } from 'node:sqlite';

/**
 * The log of a node as replication sees it: rows in order, the epochs (the term of each leader, and its start), and the promise
 * not to accept rows from an older leader.
 */
export class Replica {
  #db;
  #q;

  constructor(file) {
    const db = (this.#db = new DatabaseSync(file));
    db.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=5000;
      CREATE TABLE IF NOT EXISTS streams(sid INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
      CREATE TABLE IF NOT EXISTS events(pos INTEGER PRIMARY KEY, post INTEGER NOT NULL, sid INTEGER NOT NULL,
        rev INTEGER NOT NULL, tomb INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, json INTEGER NOT NULL,
        created INTEGER NOT NULL, data BLOB NOT NULL, meta BLOB NOT NULL) STRICT;
      CREATE UNIQUE INDEX IF NOT EXISTS by_stream ON events(sid, rev);
      CREATE TABLE IF NOT EXISTS epochs(epoch INTEGER PRIMARY KEY, start INTEGER NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS promise(one INTEGER PRIMARY KEY, epoch INTEGER NOT NULL) STRICT;`);
    this.#q = {
      end: db.prepare('SELECT MAX(post) n FROM events'),
      rows: db.prepare('SELECT s.name, e.* FROM events e JOIN streams s USING(sid) WHERE pos>=? ORDER BY pos LIMIT ?'),
      stream: db.prepare('INSERT OR IGNORE INTO streams(sid, name) VALUES(?,?)'),
      event: db.prepare('INSERT INTO events VALUES(?,?,?,?,?,?,?,?,?,?,?)'),
      epochs: db.prepare('SELECT epoch, start FROM epochs ORDER BY epoch'),
      addEpoch: db.prepare('INSERT OR REPLACE INTO epochs VALUES(?,?)'),
      promise: db.prepare('SELECT epoch FROM promise'),
      setPromise: db.prepare('INSERT OR REPLACE INTO promise VALUES(1,?)'),
    };
  }

  get end() {
    return this.#q.end.get().n ?? 0;
  }

  get epochs() {
    return this.#q.epochs.all().map(({ epoch, start }) => ({ epoch, start }));
  }

  /** The epoch of the last row. */
  get lastEpoch() {
    const { end } = this;
    return this.epochs.findLast(({ start }) => start < end)?.epoch ?? 0;
  }

  get promised() {
    return this.#q.promise.get()?.epoch ?? 0;
  }

  promise(epoch) {
    this.#q.setPromise.run(epoch);
  }

  beginEpoch(epoch) {
    this.#q.addEpoch.run(epoch, this.end);
  }

  rowsFrom(position, max) {
    return this.#q.rows.all(position, max);
  }

  append(rows, epochs) {
    this.#transaction(() => {
      for (const { name, pos, post, sid, rev, tomb, id, type, json, created, data, meta } of rows) {
        this.#q.stream.run(sid, name);
        this.#q.event.run(pos, post, sid, rev, tomb, id, type, json, created, data, meta);
      }
      this.#setEpochs(epochs);
    });
  }

  /** Removes rows that the leader does not have. */
  truncate(position) {
    this.#transaction(() => {
      this.#db.prepare('DELETE FROM events WHERE pos>=?').run(position);
      this.#db.exec('DELETE FROM streams WHERE sid NOT IN (SELECT sid FROM events)');
      this.#db.prepare('DELETE FROM epochs WHERE start>=?').run(position);
    });
  }

  #setEpochs(epochs) {
    this.#db.exec('DELETE FROM epochs');
    for (const { epoch, start } of epochs) this.#q.addEpoch.run(epoch, start);
  }

  #transaction(work) {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }
}

/** The position up to which two logs are equal: the end of the last epoch that both started at the same place. */
export const commonEnd = (mine, theirs) => {
  const endOf = ({ epochs, end }, at) => epochs[at + 1]?.start ?? end;
  for (let at = theirs.epochs.length - 1; at >= 0; at -= 1) {
    const same = mine.epochs.findIndex(({ epoch, start }) => epoch === theirs.epochs[at].epoch && start === theirs.epochs[at].start);
    if (same >= 0) return Math.min(endOf(mine, same), endOf(theirs, at));
  }
  return 0;
};
