import type { Message } from '@palimpsest/knowledge/ports';

export const KEYS = 4;
const PER_KEY = 2;

/** The messages that the killed process publishes in one call: two for each of four keys, numbered `<run>.<batch>.<n>`. */
export const batchOf = (run: number, batch: number): readonly Message[] =>
  Array.from({ length: KEYS * PER_KEY }, (_, n) => ({ id: `${run}.${batch}.${n}`, key: `k${n % KEYS}`, headers: {}, body: '{}' }));
