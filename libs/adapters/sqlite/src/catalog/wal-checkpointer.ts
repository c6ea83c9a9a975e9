import { closeSync, fsyncSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { catalogFiles, type CatalogFiles } from './catalog-files.ts';
import { changedPages } from './page-check.ts';
import { clearGaps } from './page-gaps.ts';
import { PageSums } from './page-sums.ts';
import { readWal } from './wal-frames.ts';

/** How long a checkpoint waits for readers, in ms. Writers wait meanwhile. */
const PATIENCE_MS = 1_000;

/**
 * Runs the WAL checkpoints of a catalog, after each of which no removed row is in its files, and keeps the checksums of its pages.
 * Nothing else does any of this while the catalog is open (`wal_autocheckpoint = 0`). It writes the new checksums before the checkpoint: after a kill in between, the pages that are not yet in
 * the database are still in the write-ahead file, and SQLite reads them from there.
 */
export class WalCheckpointer {
  readonly #files: CatalogFiles;
  readonly #sums: PageSums;
  readonly #connection: DatabaseSync;
  /** Stays open until `close`: closing any handle of a file drops the locks that SQLite holds on it in this process. */
  readonly #database: number;
  /** Pages whose checksum may be that of their content in the write-ahead file, or before their gap is cleared; undefined before they are read. */
  #inWal: ReadonlyMap<number, unknown> | undefined;

  /** @throws when the checksums are missing: the catalog was not opened before */
  constructor(path: string) {
    this.#files = catalogFiles(path);
    const sums = PageSums.read(this.#files.sums);
    if (!sums) throw new Error(`${this.#files.sums} is missing or damaged`);
    this.#sums = sums;
    this.#connection = new DatabaseSync(path, { timeout: PATIENCE_MS });
    this.#database = openSync(path, 'r+');
  }

  /** Empties the write-ahead file. There must be no writes during the call. Returns a description of damage. @throws when a reader blocks it */
  checkpoint(): string | undefined {
    const wal = readWal(this.#files.wal);
    const { log } = this.#run('NOOP');
    // SQLite does not read the checksums of its frames again.
    if (wal.frames < log) return `frame ${wal.frames + 1} of ${log} in the write-ahead file was changed`;
    if (wal.frames > 0) {
      this.#sums.update(wal);
      // Some of an earlier checkpoint that failed may not be cleared yet.
      this.#inWal = new Map([...(this.#inWal ?? []), ...wal.sums]);
      this.#writeSums();
    }
    this.#copy('FULL');
    // Before the write-ahead file is emptied: a kill in between leaves no page that has neither its checksum nor a copy there.
    clearGaps(this.#database, this.#inWal?.keys() ?? []);
    this.#copy('TRUNCATE');
    this.#inWal = new Map();
    return undefined;
  }

  /** Describes damage to `count` pages from `first` on, as of the last checkpoint. */
  changed(first: number, count: number): Readonly<{ pages: number; damage?: string }> {
    this.#inWal ??= readWal(this.#files.wal).sums;
    const damage = changedPages(this.#database, this.#sums, this.#inWal, first, count);
    return { pages: this.#sums.pages, ...(damage === undefined ? {} : { damage }) };
  }

  /** Returns the problems that SQLite finds in the structure of the file and its indexes. */
  problems(max: number): readonly string[] {
    return this.#connection
      .prepare(`PRAGMA integrity_check(${max})`)
      .all()
      .map((row) => String(row['integrity_check']))
      .filter((found) => found !== 'ok');
  }

  /** Call it just before closing the catalog itself. */
  close(): void {
    this.#connection.close();
    closeSync(this.#database);
  }

  #copy(mode: 'FULL' | 'TRUNCATE'): void {
    if (this.#run(mode).busy) throw new Error(`another connection is reading ${this.#files.wal}`);
  }

  /** `log`: how many frames the write-ahead file has. */
  #run(mode: 'NOOP' | 'FULL' | 'TRUNCATE'): Readonly<{ busy: boolean; log: number }> {
    const row = this.#connection.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
    return { busy: row?.['busy'] !== 0, log: Number(row?.['log']) };
  }

  /** Syncs the write-ahead file first: after a power failure the checksums must not refer to frames that were lost. */
  #writeSums(): void {
    const wal = openSync(this.#files.wal, 'r+');
    try {
      fsyncSync(wal);
    } finally {
      closeSync(wal);
    }
    this.#sums.write(this.#files.sums);
  }
}
