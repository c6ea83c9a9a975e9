import type { WorkerChannel } from '../log/worker-channel.ts';
import type { SideCalls } from './side-calls.ts';

/** After the first write since the last time, in milliseconds. Not more often: the next commit then begins the file anew, which needs a flush, too. */
const FOLD_AFTER_MS = 5_000;

/** Takes what was written ahead into the file itself, which needs two flushes, beside the event loop. SQLite would do it within some commit. */
export class WalFolding {
  readonly #side: WorkerChannel<SideCalls>;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(side: WorkerChannel<SideCalls>) {
    this.#side = side;
  }

  /** Something was written. */
  soon(): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // What fails is left to the next time, and in the end to SQLite's own limit.
      this.#side.call('run', { sql: 'PRAGMA wal_checkpoint(PASSIVE)', values: [] }).catch(() => undefined);
    }, FOLD_AFTER_MS).unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#side.close();
  }
}
