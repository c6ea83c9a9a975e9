import { randomUUID } from 'node:crypto';

/** Makes ids. */
export interface Ids {
  /** A new UUID. */
  next(): string;
}

export const systemIds: Ids = { next: () => randomUUID() };
