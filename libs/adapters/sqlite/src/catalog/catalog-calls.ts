import type { CatalogFile } from './catalog-files.ts';
import type { ReplacedScopes } from './replace-scopes.ts';

/** Calls to the background thread of a catalog. */
export type CatalogCalls = {
  open: { request: CatalogFile; answer: null };
  /** Runs a WAL checkpoint, which empties the write-ahead file. Returns a description of damage, if there is any. */
  checkpoint: { request: null; answer: string | undefined };
  /** Compares `count` pages from page `first` (1 or more) with their checksums. Returns the total number of pages, and what changed. */
  changed: { request: Readonly<{ first: number; count: number }>; answer: Readonly<{ pages: number; damage?: string }> };
  /** Runs SQLite's integrity check. */
  problems: { request: Readonly<{ max: number }>; answer: readonly string[] };
  /** Replaces the rows of these scopes by those in the catalog file `from`, in one transaction. */
  replaceScopes: { request: ReplacedScopes; answer: null };
  close: { request: null; answer: null };
};
