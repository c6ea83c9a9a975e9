/** Calls to the background thread of a SQLite file. */
export type SideCalls = {
  open: { request: Readonly<{ file: string }>; answer: null };
  /** Runs one statement. Its changes are durable when the call returns. */
  run: { request: Readonly<{ sql: string; values: readonly (string | number | null)[] }>; answer: null };
  close: { request: null; answer: null };
};
