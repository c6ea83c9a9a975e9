import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { Unavailable } from '@palimpsest/knowledge';
import type { Row } from './catalog-rows.ts';
import { isDamage } from './is-damage.ts';

/** Kept at most: reads differ by their conditions and by the number of scopes. */
const MOST = 200;

/**
 * Each statement is prepared once, not at each call. The one way to what a catalogue holds: once damage was met, there is none, until
 * all is made anew.
 */
export class CatalogStatements {
  readonly #db: DatabaseSync;
  readonly #onDamage: (reason: string) => void;
  readonly #prepared = new Map<string, StatementSync>();
  #damage: string | undefined;

  /** `onDamage`: told once, of what SQLite meets. */
  constructor(db: DatabaseSync, onDamage: (reason: string) => void) {
    this.#db = db;
    this.#onDamage = onDamage;
  }

  /** @throws Unavailable, as all others do, when it is damaged */
  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#guarded(() => this.#of(sql).all(...values));
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#guarded(() => this.#of(sql).get(...values));
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#guarded(() => this.#of(sql).run(...values));
  }

  /** Not of several values, and not kept. */
  exec(sql: string): void {
    this.#guarded(() => this.#db.exec(sql));
  }

  /** From now on, whoever asks is refused. */
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
    return new Unavailable(`the catalogue is damaged, and is made again from the log: ${this.#damage ?? ''}`, { cause });
  }

  #of(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (statement) return statement;
    if (this.#prepared.size >= MOST) this.#prepared.clear();
    this.#prepared.set(sql, (statement = this.#db.prepare(sql)));
    return statement;
  }
}
