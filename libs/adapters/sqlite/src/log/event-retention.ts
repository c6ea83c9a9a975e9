import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { retentionChecksum } from './event-checksum.ts';
import { OLDEST_EVENTS, RemovalBatch, RowRemoval } from './row-removal.ts';
import { retentionHolds } from './stored-row.ts';
import { WorkerFault } from './worker-protocol.ts';

/** Stores and enforces the age limits of streams. Runs in the writer thread. */
export class EventRetention {
  readonly #setLimit: StatementSync;
  readonly #limits: StatementSync;
  readonly #oldest: StatementSync;
  readonly #removal: RowRemoval;

  constructor(database: DatabaseSync) {
    this.#setLimit = database.prepare(
      'INSERT INTO streams (name, last_revision, max_age_ms, max_age_checksum) VALUES (?1, -1, ?2, ?3) ON CONFLICT (name) DO UPDATE SET max_age_ms = ?2, max_age_checksum = ?3',
    );
    this.#limits = database.prepare(
      'SELECT id, name AS stream, max_age_ms, max_age_checksum FROM streams INDEXED BY streams_with_retention WHERE max_age_ms IS NOT NULL',
    );
    this.#oldest = database.prepare(OLDEST_EVENTS);
    this.#removal = new RowRemoval(database);
  }

  /** `null` removes the limit. The stream need not exist yet. */
  setLimit(stream: string, maxAgeMs: number | null): void {
    this.#setLimit.run(stream, maxAgeMs, retentionChecksum(stream, maxAgeMs));
  }

  /** Removes at most a few hundred expired events and returns their number: 0 when none is left. `now`: Unix ms. */
  removeSome(now: number): number {
    const expired = this.#someExpired(now);
    return expired.positions.length === 0 ? 0 : this.#removal.run(expired);
  }

  /** Reads each stream from its oldest event up to the first that has not expired; later calls handle any events after that. */
  #someExpired(now: number): RemovalBatch {
    const expired = new RemovalBatch();
    for (const limit of this.#limits.all()) {
      if (!retentionHolds(limit))
        throw new WorkerFault({
          code: 'Corrupt',
          message: `the age limit of stream ${String(limit['stream'])} is damaged: no events of this stream are removed`,
        });
      const cutoff = now - Number(limit['max_age_ms']);
      for (const event of this.#oldest.iterate(Number(limit['id']), expired.rowsLeft)) {
        if (Number(event['recorded_at']) >= cutoff || expired.isFull) break;
        expired.add(event);
      }
      if (expired.isFull) break;
    }
    return expired;
  }
}
