import { closeSync, fsyncSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { catalogFiles, type CatalogFiles } from './catalog-files.ts';
import { changedPages, lostFrames } from './page-check.ts';
import { PageSums } from './page-sums.ts';
import { WalFrames } from './wal-frames.ts';

/**
 * Takes what a catalogue wrote ahead into its database, and keeps the sums of the pages; nobody else does either while the catalogue
 * is open (`wal_autocheckpoint = 0`). The sums go first, as they will be: killed in between, what is not yet in the database is still
 * in the write-ahead file, whose frames count instead.
 */
export class PageFolding {
  readonly #files: CatalogFiles;
  readonly #wal: WalFrames;
  readonly #sums: PageSums;
  readonly #reader: DatabaseSync;
  readonly #folder: DatabaseSync;
  /** Open as long as this is: closing any of its handles drops the locks that SQLite has on a file in this process. */
  readonly #database: number;
  #unwritten = false;
  #lost: string | undefined;

  /** @throws when the sums are missing: the catalogue was not opened */
  constructor(path: string) {
    this.#files = catalogFiles(path);
    this.#wal = new WalFrames(this.#files.wal);
    const sums = PageSums.read(this.#files.sums);
    if (!sums) throw new Error(`${this.#files.sums} is missing or damaged`);
    this.#sums = sums;
    // Of the process before: what is here may not be in the database yet.
    this.#look();
    this.#reader = new DatabaseSync(path, { timeout: 5_000 });
    this.#folder = new DatabaseSync(path, { timeout: 5_000 });
    this.#database = openSync(path, 'r');
  }

  /** As far as was committed when it began. Answers what is damaged instead, in words, when that is why it cannot be done. */
  fold(): string | undefined {
    if (this.#lost !== undefined) return this.#lost;
    // SQLite folds nothing that is newer than what a reader sees, nor begins the file anew below one: so no page is taken in whose sum is not known.
    this.#reader.exec('BEGIN');
    try {
      this.#reader.prepare('SELECT position FROM progress').get();
      this.#look();
      if (this.#unwritten) this.#write();
      this.#folder.prepare('PRAGMA wal_checkpoint(PASSIVE)').all();
      return undefined;
    } finally {
      this.#reader.exec('COMMIT');
    }
  }

  /** Folds, and empties the write-ahead file. Nobody may write meanwhile. @throws when a reader is in the way */
  purge(): string | undefined {
    const damage = this.fold();
    if (damage !== undefined) return damage;
    const busy = this.#folder.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'];
    if (busy !== 0) throw new Error(`somebody reads ${this.#files.wal}`);
    return undefined;
  }

  /** What changed of so many pages, in words, and after the last of them of the write-ahead file; only of what lay there at the last folding. */
  changed(first: number, count: number): Readonly<{ pages: number; damage?: string }> {
    const again = new WalFrames(this.#files.wal);
    const inWal = first === 1 ? (again.read(), lostFrames(again, this.#sums)) : undefined;
    const damage = this.#lost ?? inWal ?? changedPages(this.#database, this.#sums, this.#wal, first, count);
    return { pages: this.#sums.pages, ...(damage === undefined ? {} : { damage }) };
  }

  /** What SQLite itself finds wrong with the structure, and its indexes. */
  problems(most: number): readonly string[] {
    return this.#folder.prepare(`PRAGMA integrity_check(${most})`).all().map((row) => String(row['integrity_check'])).filter((found) => found !== 'ok');
  }

  /** Shortly before the catalogue itself is closed. */
  close(): void {
    this.#reader.close();
    this.#folder.close();
    closeSync(this.#database);
  }

  #look(): void {
    const found = this.#wal.read();
    this.#lost = lostFrames(this.#wal, this.#sums);
    if (!found || this.#lost !== undefined) return;
    this.#sums.take(found, this.#wal.extent);
    this.#unwritten = true;
  }

  /** Durable, and what they speak of is durable before them: after a power cut they must not promise frames that are gone. */
  #write(): void {
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
