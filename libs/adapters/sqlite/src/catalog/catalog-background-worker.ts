import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { BACKGROUND, type Pace } from '@palimpsest/foundation';
import type { WorkerChannel } from '../log/worker-channel.ts';
import type { CatalogCalls } from './catalog-calls.ts';
import { catalogFiles } from './catalog-files.ts';
import { catalogThread } from './catalog-thread.ts';
import type { ReplacedScopes } from './replace-scopes.ts';
import { WalCheckpointer } from './wal-checkpointer.ts';

/**
 * Delay between the first write and the next WAL checkpoint, in milliseconds. It is not shorter because the commit after a checkpoint
 * begins a new write-ahead file, which costs another flush.
 */
const CHECKPOINT_AFTER_MS = 5_000;
/** A writer runs a WAL checkpoint first when the write-ahead file is larger than this. */
const FULL_BYTES = 64 * 1024 * 1024;

const CHECK_EVERY_MS = 15 * 60_000;
/** Pages checked at a time, which takes a few milliseconds. The pause after them is nine times as long. */
const SLICE = 2_048;
const PAUSE_FACTOR = 9;

/** The maximum number of reported problems in the structure of the file. */
const MAX_PROBLEMS = 20;

/**
 * The background thread of an open catalog. It runs WAL checkpoints, which need flushes and which SQLite would otherwise run during a
 * commit. It also compares all pages with their checksums every 15 minutes.
 */
export class CatalogBackgroundWorker {
  readonly #path: string;
  readonly #worker: WorkerChannel<CatalogCalls>;
  readonly #onDamage: (reason: string) => void;
  readonly #commit: () => void;
  readonly #checks: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #running: Promise<void> | undefined;
  /** More than `FULL_BYTES` while it contains replaced scopes: a writer does not wait until these are in the database. */
  #fullBytes = FULL_BYTES;

  /** `commit`: commits an open transaction of the catalog, which would block a checkpoint. */
  constructor(path: string, { onDamage, commit }: Readonly<{ onDamage: (reason: string) => void; commit: () => void }>) {
    this.#path = path;
    this.#onDamage = onDamage;
    this.#commit = commit;
    this.#worker = catalogThread({ path, isTemporary: false });
    this.#checks = setInterval(() => void this.check(BACKGROUND).catch(() => undefined), CHECK_EVERY_MS).unref();
  }

  /** Writes when no checkpoint is running, and schedules one. */
  async write(work: () => void): Promise<void> {
    if (this.#walBytes() > this.#fullBytes) await this.checkpoint().catch(() => undefined);
    while (this.#running !== undefined) await this.#running.catch(() => undefined);
    work();
    this.#checkpointSoon();
  }

  /** Empties the write-ahead file. */
  async checkpoint(): Promise<void> {
    while (this.#running !== undefined) await this.#running.catch(() => undefined);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#closed || this.#walBytes() === 0) return;
    this.#commit();
    this.#running = this.#worker
      .call('checkpoint', null)
      .then((damage) => {
        this.#fullBytes = FULL_BYTES;
        this.#found(damage);
      })
      .finally(() => (this.#running = undefined));
    await this.#running;
  }

  /** Replaces rows by those in another catalog file, durably. Writers and WAL checkpoints wait for it. */
  async replaceScopes(replaced: ReplacedScopes): Promise<void> {
    while (this.#running !== undefined) await this.#running.catch(() => undefined);
    this.#running = this.#worker
      .call('replaceScopes', replaced)
      .then(() => undefined)
      .finally(() => (this.#running = undefined));
    await this.#running;
    this.#fullBytes = this.#walBytes() + FULL_BYTES;
    this.#checkpointSoon();
  }

  /** Compares all pages with their checksums. Reports a changed page to `onDamage`. */
  async check({ urgent }: Pace): Promise<void> {
    for (let first = 1, pages = 1; first <= pages && !this.#closed; first += SLICE) {
      const began = performance.now();
      const found = await this.#worker.call('changed', { first, count: SLICE });
      if (found.damage !== undefined) return this.#found(found.damage);
      pages = found.pages;
      if (!urgent) await sleep(PAUSE_FACTOR * (performance.now() - began), undefined, { ref: false });
    }
  }

  /** Returns all problems of the files: changed pages, and what SQLite finds. Blocks only the caller. */
  async problems(): Promise<readonly string[]> {
    const { damage } = await this.#worker.call('changed', { first: 1, count: Number.MAX_SAFE_INTEGER });
    return [...(damage === undefined ? [] : [damage]), ...(await this.#worker.call('problems', { max: MAX_PROBLEMS }))];
  }

  /** Call it before closing the connection of the catalog, which would run a WAL checkpoint without updating the checksums. */
  async close({ checkpoint }: Readonly<{ checkpoint: boolean }>): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#checks);
    await this.#worker.close();
    if (!checkpoint || this.#walBytes() === 0) return;
    // Without the thread: starting it would take longer.
    try {
      const checkpointer = new WalCheckpointer(this.#path);
      try {
        checkpointer.checkpoint();
      } finally {
        checkpointer.close();
      }
    } catch {
      // The next start finds pages without a matching checksum and rebuilds the catalog from the log.
    }
  }

  #checkpointSoon(): void {
    // The next checkpoint retries after a failure.
    if (!this.#closed) this.#timer ??= setTimeout(() => void this.checkpoint().catch(() => undefined), CHECKPOINT_AFTER_MS).unref();
  }

  #found(damage: string | undefined): void {
    if (damage !== undefined && !this.#closed) this.#onDamage(damage);
  }

  #walBytes(): number {
    return statSync(catalogFiles(this.#path).wal, { throwIfNoEntry: false })?.size ?? 0;
  }
}
