import type { BestRows } from './best-rows.ts';
import type { ChunkKey } from './chunk-key.ts';
import { HEAP, Kernels, MEASURED_ID } from './kernels.ts';
import type { QueryCode } from './query-code.ts';

/** `vector`: the bytes of its little-endian float32 values. */
export type MeasuredRow = Readonly<{ row: number; key: ChunkKey; vector: Uint8Array }>;

/** Nothing is kept between two calls, so all tables share one instance. */
let shared: Kernels | undefined;

/**
 * Offers rows to `best`, each with its float32 score. `grouped`: chunks may have several rows, of which only the best counts.
 * @returns the score that a row must reach to be among the best
 */
export const offerMeasured = (query: QueryCode, rows: readonly MeasuredRow[], grouped: boolean, best: BestRows): number => {
  const kernels = (shared ??= new Kernels());
  const { bytes, words, run } = kernels;
  const width = query.values.length;
  run.configure(width);
  kernels.placeQuery(query);
  run.setGrouped(grouped ? 1 : 0);
  bytes.set(best.heldBytes, HEAP);
  run.resume(best.wanted, best.held);
  let least = -Infinity;
  for (const { row, key, vector } of rows) {
    kernels.placeRow(vector, width);
    words.set(key, MEASURED_ID / 4);
    least = run.measure(row);
  }
  best.replace(bytes.subarray(HEAP), run.heldEntries());
  return least;
};
