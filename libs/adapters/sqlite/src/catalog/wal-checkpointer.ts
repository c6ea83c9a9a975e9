import { closeSync, fsyncSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { catalogFiles, type CatalogFiles } from './catalog-files.ts';
import { changedPages, lostFrames } from './page-check.ts';
import { PageSums } from './page-sums.ts';
import { WalFrames } from './wal-frames.ts';

/**
 * Runs the WAL checkpoints of a catalog and keeps the checksums of its pages. Nothing else does either while the catalog is open
 * (`wal_autocheckpoint = 0`). It writes the new checksums before the checkpoint: after a kill in between, the pages that are not yet in
 * the database are still in the write-ahead file, and SQLite reads them from there.
 */
export class WalCheckpointer {
  readonly #files: CatalogFiles;
  readonly #wal: WalFrames;
  readonly #sums: PageSums;
  readonly #reader: DatabaseSync;
  readonly #writer: DatabaseSync;
  /** Stays open until `close`: closing any handle of a file drops the locks that SQLite holds on it in this process. */
  readonly #database: number;
  #unwritten = false;
  #lost: string | undefined;

  /** @throws when the checksums are missing: the catalog was not opened before */
  constructor(path: string) {
    this.#files = catalogFiles(path);
    this.#wal = new WalFrames(this.#files.wal);
    const sums = PageSums.read(this.#files.sums);
    if (!sums) throw new Error(`${this.#files.sums} is missing or damaged`);
    this.#sums = sums;
    // Frames that the previous process left may not be in the database yet.
    this.#readWal();
    this.#reader = new DatabaseSync(path, { timeout: 5_000 });
    this.#writer = new DatabaseSync(path, { timeout: 5_000 });
    this.#database = openSync(path, 'r');
  }

  /** Covers all commits made before the call. When damage prevents the checkpoint, returns a description of it. */
  checkpoint(): string | undefined {
    if (this.#lost !== undefined) return this.#lost;
    // While a reader is active, SQLite moves no frames newer than its snapshot and does not restart the file. So it moves only pages
    // whose checksum is known.
    this.#reader.exec('BEGIN');
    try {
      this.#reader.prepare('SELECT position FROM progress').get();
      this.#readWal();
      if (this.#unwritten) this.#writeSums();
      this.#writer.prepare('PRAGMA wal_checkpoint(PASSIVE)').all();
      return undefined;
    } finally {
      this.#reader.exec('COMMIT');
    }
  }

  /** Runs a checkpoint and empties the write-ahead file. There must be no writes during the call. @throws when a reader blocks it */
  purge(): string | undefined {
    const damage = this.checkpoint();
    if (damage !== undefined) return damage;
    const busy = this.#writer.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'];
    if (busy !== 0) throw new Error(`another connection is reading ${this.#files.wal}`);
    return undefined;
  }

  /** Describes damage to `count` pages from `first` on, as of the last checkpoint. `first` = 1 also checks the write-ahead file. */
  changed(first: number, count: number): Readonly<{ pages: number; damage?: string }> {
    const fresh = new WalFrames(this.#files.wal);
    const inWal = first === 1 ? (fresh.read(), lostFrames(fresh, this.#sums)) : undefined;
    const damage = this.#lost ?? inWal ?? changedPages(this.#database, this.#sums, this.#wal, first, count);
    return { pages: this.#sums.pages, ...(damage === undefined ? {} : { damage }) };
  }

  /** Returns the problems that SQLite finds in the structure of the file and its indexes. */
  problems(max: number): readonly string[] {
    return this.#writer.prepare(`PRAGMA integrity_check(${max})`).all().map((row) => String(row['integrity_check'])).filter((found) => found !== 'ok');
  }

  /** Call it just before closing the catalog itself. */
  close(): void {
    this.#reader.close();
    this.#writer.close();
    closeSync(this.#database);
  }

  #readWal(): void {
    const found = this.#wal.read();
    this.#lost = lostFrames(this.#wal, this.#sums);
    if (!found || this.#lost !== undefined) return;
    this.#sums.update(found, this.#wal.extent);
    this.#unwritten = true;
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
    this.#unwritten = false;
  }
}
