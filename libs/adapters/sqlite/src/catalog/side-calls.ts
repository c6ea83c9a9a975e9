/** What is asked of the thread beside a SQLite file. */
export type SideCalls = {
  open: { request: Readonly<{ file: string }>; answer: null };
  /** One statement, durable when it is answered. */
  run: { request: Readonly<{ sql: string; values: readonly (string | number | null)[] }>; answer: null };
  close: { request: null; answer: null };
};
