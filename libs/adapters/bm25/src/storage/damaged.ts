/** What lies on disk is not what was written there. Stays inside this library: the partition is reported by `damaged()`. */
export class Damaged extends Error {}
