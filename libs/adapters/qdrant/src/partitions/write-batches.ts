import { setImmediate } from 'node:timers/promises';
import pLimit from 'p-limit';

/** One batch is serialised as JSON while the server processes the other. */
const CONCURRENT = 2;

/** Splits writes into upserts of at most this many points and (estimated) bytes; a larger point is sent alone. */
export const batches = <T>(
  items: readonly T[],
  bytesOf: (item: T) => number,
  limits: Readonly<{ points: number; bytes: number }>,
): readonly (readonly T[])[] => {
  const found: T[][] = [];
  let bytes = Infinity;
  for (const item of items) {
    const size = bytesOf(item);
    const last = found.at(-1);
    if (last === undefined || last.length >= limits.points || bytes + size > limits.bytes) {
      found.push([item]);
      bytes = size;
    } else {
      last.push(item);
      bytes += size;
    }
  }
  return found;
};

/** Resolves when no write is in progress; starts none after a failure. @throws the first error */
export const writeAll = async <T>(items: readonly T[], write: (item: T) => Promise<void>): Promise<void> => {
  const inTurn = pLimit(CONCURRENT);
  const failures: unknown[] = [];
  await inTurn.map(items, async (item) => {
    if (failures.length > 0) return;
    // Lets the previous request leave first.
    await setImmediate();
    await write(item).catch((error: unknown) => failures.push(error));
  });
  if (failures.length > 0) throw failures[0];
};
