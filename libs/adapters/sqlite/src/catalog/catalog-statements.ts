import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { Row } from './catalog-rows.ts';
import { isDamage } from './is-damage.ts';

/** The maximum number of prepared statements: reads differ by their conditions and by the number of scopes. */
const MAX = 200;

/**
 * Prepares each statement once. All access to the tables of a catalog goes through here: once damage is found, every call is refused
 * until the catalog is rebuilt.
 */
export class CatalogStatements {
  readonly #db: DatabaseSync;
  readonly #onDamage: (reason: string) => void;
  readonly #prepared = new Map<string, StatementSync>();
  #damage: string | undefined;

  /** `onDamage` is called once, when SQLite detects damage. */
  constructor(db: DatabaseSync, onDamage: (reason: string) => void) {
    this.#db = db;
    this.#onDamage = onDamage;
  }

  /** @throws Unavailable when the catalog is damaged, like all methods of this class */
  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#guarded(() => this.#of(sql).all(...values));
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#guarded(() => this.#of(sql).get(...values));
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#guarded(() => this.#of(sql).run(...values));
  }

  /** Runs SQL without parameters; it is not kept as a prepared statement. */
  exec(sql: string): void {
    this.#guarded(() => this.#db.exec(sql));
  }

  /** Undoes the open transaction, if SQLite has not done it. */
  rollBack(): void {
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
  }

  /** Refuses all further calls. */
  refuse(reason: string): void {
    this.#damage = reason;
  }

  #guarded<T>(work: () => T): T {
    if (this.#damage !== undefined) throw this.#refusal();
    try {
      return work();
    } catch (error) {
      if (!isDamage(error)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      this.#damage = reason;
      this.#onDamage(reason);
      throw this.#refusal(error);
    }
  }

  #refusal(cause?: unknown): Unavailable {
    return new Unavailable(`the catalog is damaged and is being rebuilt from the log: ${this.#damage ?? ''}`, { cause });
  }

  #of(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (statement) return statement;
    if (this.#prepared.size >= MAX) this.#prepared.clear();
    this.#prepared.set(sql, (statement = this.#db.prepare(sql)));
    return statement;
  }
}
