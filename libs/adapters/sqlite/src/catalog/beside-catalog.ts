import { statSync } from 'node:fs';
import { setTimeout as rest } from 'node:timers/promises';
import { GENTLY, type CheckPace } from '@palimpsest/contracts';
import { WorkerChannel } from '../log/worker-channel.ts';
import type { CatalogCalls } from './catalog-calls.ts';
import { catalogFiles } from './catalog-files.ts';
import { PageFolding } from './page-folding.ts';

/** After the first write since the last time, in milliseconds. Not more often: the next commit then begins the file anew, which needs a flush, too. */
const FOLD_AFTER_MS = 5_000;
/** Writers wait for a folding when the write-ahead file is larger than this. */
const FULL_BYTES = 64 * 1024 * 1024;

const CHECK_EVERY_MS = 15 * 60_000;
/** Pages at a time, a few milliseconds' work; then a rest of nine times as long. */
const SLICE = 2_048;
const REST = 9;

/** What is told at most of a structure that is broken all over. */
const MOST_PROBLEMS = 20;

/**
 * The thread beside a catalogue that is open: it takes what was written ahead into the database, which needs flushes and which SQLite
 * would do within some commit, and now and then compares all pages with their checksums.
 */
export class BesideCatalog {
  readonly #path: string;
  readonly #side: WorkerChannel<CatalogCalls>;
  readonly #onDamage: (reason: string) => void;
  readonly #checks: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #running = false;

  constructor(path: string, onDamage: (reason: string) => void) {
    this.#path = path;
    this.#onDamage = onDamage;
    this.#side = new WorkerChannel<CatalogCalls>(`the thread beside ${path}`, new URL(import.meta.url.endsWith('.ts') ? './catalog-worker.ts' : './catalog-worker.js', import.meta.url), { file: path });
    this.#checks = setInterval(() => void this.check(GENTLY).catch(() => undefined), CHECK_EVERY_MS).unref();
  }

  /** Something was written. */
  soon(): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // What fails is left to the next time.
      this.#fold().catch(() => undefined);
    }, FOLD_AFTER_MS).unref();
  }

  /** While somebody writes all the time, a folding never takes in all there is, and the file would grow for ever. */
  async whenFull(): Promise<void> {
    if (!this.#closed && this.#written() > FULL_BYTES) await this.#fold().catch(() => undefined);
  }

  /** Empties the write-ahead file. The caller keeps writers away meanwhile. */
  async purge(): Promise<void> {
    if (this.#closed || this.#written() === 0) return;
    const damage = await this.#call('purge', null);
    if (damage !== undefined && !this.#closed) this.#onDamage(damage);
  }

  /** Compares all pages with their checksums; what changed goes to `onDamage`. */
  async check({ atOnce }: CheckPace): Promise<void> {
    for (let first = 1, pages = 1; first <= pages && !this.#closed; first += SLICE) {
      const began = performance.now();
      const found = await this.#call('changed', { first, count: SLICE });
      if (found.damage !== undefined && !this.#closed) return this.#onDamage(found.damage);
      pages = found.pages;
      if (!atOnce) await rest(REST * (performance.now() - began), undefined, { ref: false });
    }
  }

  /** All that is wrong with the files: pages that changed, and what SQLite finds. Nobody waits but who asks. */
  async problems(): Promise<readonly string[]> {
    const { damage } = await this.#call('changed', { first: 1, count: Number.MAX_SAFE_INTEGER });
    return [...(damage === undefined ? [] : [damage]), ...(await this.#call('problems', { most: MOST_PROBLEMS }))];
  }

  /** Makes a copy one that can be opened. */
  async sum(copy: string): Promise<void> {
    await this.#call('sum', { copy });
  }

  /** Before the connection of the catalogue itself is closed, which would fold without knowing of the checksums. */
  async close({ fold }: Readonly<{ fold: boolean }>): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#checks);
    // If it fails, the next opening finds pages that it does not know, and everything is made anew from the log.
    if (fold && this.#written() > 0) await this.#foldLast().catch(() => undefined);
    await this.#side.close();
  }

  async #foldLast(): Promise<void> {
    if (this.#running) return void (await this.#call('fold', null));
    // To start a thread takes longer.
    const folding = new PageFolding(this.#path);
    try {
      folding.fold();
    } finally {
      folding.close();
    }
  }

  async #fold(): Promise<void> {
    const damage = await this.#call('fold', null);
    if (damage !== undefined && !this.#closed) this.#onDamage(damage);
  }

  #call<Kind extends keyof CatalogCalls & string>(kind: Kind, request: CatalogCalls[Kind]['request']): Promise<CatalogCalls[Kind]['answer']> {
    this.#running = true;
    return this.#side.call(kind, request);
  }

  #written(): number {
    return statSync(catalogFiles(this.#path).wal, { throwIfNoEntry: false })?.size ?? 0;
  }
}
