const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** SQLite's own word that a file is not one of its, or is broken. */
export const isDamage = (error: unknown): boolean => typeof error === 'object' && error !== null && 'errcode' in error && [SQLITE_CORRUPT, SQLITE_NOTADB].includes(Number(error.errcode) & 0xff);
