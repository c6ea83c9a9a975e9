import { setImmediate } from 'node:timers/promises';
import pLimit from 'p-limit';

/** One is written down as JSON while the server is at another. */
const UNDER_WAY = 2;

/** Cuts writes into upserts of at most so many points and (estimated) bytes; a point larger than that goes alone. */
export const batches = <T>(items: readonly T[], bytesOf: (item: T) => number, limits: Readonly<{ points: number; bytes: number }>): readonly (readonly T[])[] => {
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

/** Ends when none is under way any more; none is begun after one failed. @throws what the first of them threw */
export const writeAll = async <T>(items: readonly T[], write: (item: T) => Promise<void>): Promise<void> => {
  const inTurn = pLimit(UNDER_WAY);
  const failures: unknown[] = [];
  await inTurn.map(items, async (item) => {
    if (failures.length > 0) return;
    // The request before leaves first.
    await setImmediate();
    await write(item).catch((error: unknown) => failures.push(error));
  });
  if (failures.length > 0) throw failures[0];
};
