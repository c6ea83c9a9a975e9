import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { deserialize, serialize } from 'node:v8';

/** Acknowledged changes survive SIGKILL and a power cut: one synchronous transaction per request. */
export class Storage {
  #db;
  #put;
  #delete;

  constructor(folder) {
    mkdirSync(folder, { recursive: true });
    this.#db = new DatabaseSync(join(folder, 'qdrant-server.sqlite'));
    this.#db.exec(`
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE IF NOT EXISTS collections (name TEXT PRIMARY KEY, config TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS aliases (alias TEXT PRIMARY KEY, collection TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS points (collection TEXT, id TEXT, payload TEXT NOT NULL, vectors BLOB NOT NULL, UNIQUE (collection, id));
    `);
    this.#put = this.#db.prepare('INSERT OR REPLACE INTO points VALUES (?, ?, ?, ?)');
    this.#delete = this.#db.prepare('DELETE FROM points WHERE collection = ? AND id = ?');
  }

  /** @returns {{ name: string, config: object, points: Iterable<{ id: unknown, payload: object, vectors: object }> }[]} */
  collections() {
    const points = this.#db.prepare('SELECT id, payload, vectors FROM points WHERE collection = ?');
    return this.#db
      .prepare('SELECT name, config FROM collections')
      .all()
      .map(({ name, config }) => ({
        name,
        config: JSON.parse(config),
        points: points
          .all(name)
          .map((row) => ({ id: JSON.parse(row.id), payload: JSON.parse(row.payload), vectors: deserialize(row.vectors) })),
      }));
  }

  aliases() {
    return this.#db.prepare('SELECT alias, collection FROM aliases').all();
  }

  saveCollection(name, config) {
    this.#db.prepare('INSERT OR REPLACE INTO collections VALUES (?, ?)').run(name, JSON.stringify(config));
  }

  dropCollection(name) {
    this.#transaction(() => {
      for (const table of ['points', 'aliases']) this.#db.prepare(`DELETE FROM ${table} WHERE collection = ?`).run(name);
      this.#db.prepare('DELETE FROM collections WHERE name = ?').run(name);
    });
  }

  saveAliases(aliases) {
    this.#transaction(() => {
      this.#db.exec('DELETE FROM aliases');
      for (const [alias, collection] of aliases) this.#db.prepare('INSERT INTO aliases VALUES (?, ?)').run(alias, collection);
    });
  }

  /** @param {{ id: unknown, point?: { payload: object, vectors: object } }[]} a change without a point deletes it */
  savePoints(collection, changes) {
    this.#transaction(() => {
      for (const { id, point } of changes) {
        if (point === undefined) this.#delete.run(collection, JSON.stringify(id));
        else this.#put.run(collection, JSON.stringify(id), JSON.stringify(point.payload), serialize(point.vectors));
      }
    });
  }

  close() {
    this.#db.close();
  }

  #transaction(work) {
    this.#db.exec('BEGIN');
    try {
      work();
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }
}
