/** What is asked of the thread beside a catalogue. */
export type CatalogCalls = {
  open: { request: Readonly<{ file: string }>; answer: null };
  /** Takes what was written ahead into the database; answers what is damaged. */
  fold: { request: null; answer: string | undefined };
  /** Folds, and empties the write-ahead file; answers what is damaged. */
  purge: { request: null; answer: string | undefined };
  /** Compares so many pages, from 1 on, with their checksums: how many there are, and what changed. */
  changed: { request: Readonly<{ first: number; count: number }>; answer: Readonly<{ pages: number; damage?: string }> };
  /** SQLite's own check of its structure. */
  problems: { request: Readonly<{ most: number }>; answer: readonly string[] };
  /** Writes the checksums of a copy that nobody has open. */
  sum: { request: Readonly<{ copy: string }>; answer: null };
  close: { request: null; answer: null };
};
