const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** Whether SQLite reports that a file is corrupt or not a database. */
export const isDamage = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'errcode' in error &&
  [SQLITE_CORRUPT, SQLITE_NOTADB].includes(Number(error.errcode) & 0xff);
