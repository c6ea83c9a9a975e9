import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { retentionChecksum } from './event-checksum.ts';
import { retentionHolds } from './stored-row.ts';
import { WorkerFault } from './worker-protocol.ts';

/** Rows removed in one transaction: few enough that an append behind it hardly waits. */
const ROWS_AT_ONCE = 500;

/** Keeps and carries out the age limits of streams. Runs in the writer's thread. */
export class EventRetention {
  readonly #setLimit: StatementSync;
  readonly #limits: StatementSync;
  readonly #oldest: StatementSync;
  readonly #remove: StatementSync;
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#setLimit = database.prepare(
      'INSERT INTO streams (name, last_revision, max_age_ms, max_age_checksum) VALUES (?1, -1, ?2, ?3) ON CONFLICT (name) DO UPDATE SET max_age_ms = ?2, max_age_checksum = ?3',
    );
    this.#limits = database.prepare('SELECT id, name AS stream, max_age_ms, max_age_checksum FROM streams INDEXED BY streams_with_retention WHERE max_age_ms IS NOT NULL');
    this.#oldest = database.prepare('SELECT position, recorded_at FROM events WHERE stream = ? ORDER BY revision LIMIT ?');
    this.#remove = database.prepare('DELETE FROM events WHERE position = ?');
  }

  /** `null` lifts the limit. The stream need not exist yet. */
  setLimit(stream: string, maxAgeMs: number | null): void {
    this.#setLimit.run(stream, maxAgeMs, retentionChecksum(stream, maxAgeMs));
  }

  /** Removes at most a few hundred expired events; answers how many. 0: none is left. `now`: Unix ms. */
  removeSome(now: number): number {
    const expired = this.#someExpired(now);
    if (expired.length === 0) return 0;
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const position of expired) this.#remove.run(position);
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
    return expired.length;
  }

  /** From the oldest event of a stream to its first that is still young: what lies behind that comes another time. */
  #someExpired(now: number): readonly number[] {
    const expired: number[] = [];
    for (const limit of this.#limits.all()) {
      if (!retentionHolds(limit)) throw new WorkerFault({ code: 'Corrupt', message: `the age limit of stream ${String(limit['stream'])} is damaged: nothing of it is removed` });
      const cutoff = now - Number(limit['max_age_ms']);
      for (const event of this.#oldest.iterate(Number(limit['id']), ROWS_AT_ONCE - expired.length)) {
        if (Number(event['recorded_at']) >= cutoff) break;
        expired.push(Number(event['position']));
      }
      if (expired.length >= ROWS_AT_ONCE) break;
    }
    return expired;
  }
}
