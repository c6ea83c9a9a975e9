/** The content of a file is not what was written to it. Not thrown to callers: `damaged()` reports the partition. */
export class Damaged extends Error {}
