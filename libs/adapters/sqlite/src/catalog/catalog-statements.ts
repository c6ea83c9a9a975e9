import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Kept at most: reads differ by their conditions and by the number of scopes. */
const MOST = 200;

/** Each statement is prepared once, not at each call. */
export class CatalogStatements {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  of(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (statement) return statement;
    if (this.#prepared.size >= MOST) this.#prepared.clear();
    this.#prepared.set(sql, (statement = this.#db.prepare(sql)));
    return statement;
  }

  /** Prepared statements do not outlive the tables that they were prepared for. */
  forget(): void {
    this.#prepared.clear();
  }
}
