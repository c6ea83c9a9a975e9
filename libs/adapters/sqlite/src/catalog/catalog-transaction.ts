import type { DatabaseSync } from 'node:sqlite';
import type { CatalogStatements } from './catalog-statements.ts';

/** Batches of statements in one transaction, until `commit`. A batch that fails changes nothing. */
export class CatalogTransaction {
  readonly #db: DatabaseSync;
  readonly #statements: CatalogStatements;
  #batches = 0;

  constructor(db: DatabaseSync, statements: CatalogStatements) {
    this.#db = db;
    this.#statements = statements;
  }

  /** Those that are not committed yet. */
  get batches(): number {
    return this.#batches;
  }

  batch(work: () => void): void {
    this.#statements.exec(this.#batches === 0 ? 'BEGIN IMMEDIATE' : 'SAVEPOINT batch');
    try {
      work();
      if (this.#batches > 0) this.#statements.exec('RELEASE batch');
    } catch (error) {
      this.#undoBatch();
      throw error;
    }
    this.#batches++;
  }

  /** After a failure, nothing of it is in the catalog. */
  commit(): void {
    try {
      if (this.#db.isTransaction) this.#statements.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    } finally {
      this.#batches = 0;
    }
  }

  #undoBatch(): void {
    // On a full disk, SQLite may have undone the whole transaction.
    if (this.#db.isTransaction) this.#db.exec(this.#batches > 0 ? 'ROLLBACK TO batch; RELEASE batch' : 'ROLLBACK');
    else this.#batches = 0;
  }
}
