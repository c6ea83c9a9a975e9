import type { Position } from '@palimpsest/knowledge/values';
import { sameKey } from './chunk-key.ts';
import type { RowBatch } from './row-batch.ts';
import { inParts, rowOf } from './row-parts.ts';

/** The bytes of float32 rows in one frame of a compacted file: small enough to be read without a noticeable pause. */
export const FRAME_BYTES = 4 * 2 ** 20;

/**
 * Yields the live rows of a file as puts, in their order. Yields at least one batch, so that `upTo` and the dimensions are kept.
 * @param isAlive gets the number of a row, counted from the first one of the file
 */
export async function* liveRows(
  batches: AsyncIterable<RowBatch>,
  isAlive: (row: number) => boolean,
  { upTo, dimensions }: Readonly<{ upTo: Position; dimensions: number }>,
): AsyncGenerator<RowBatch> {
  const rowBytes = 4 * dimensions;
  let [collected, before, isFirst] = [new Rows(), 0, true];
  for await (const batch of batches) {
    for (let row = 0; row < batch.setOf.length; row++) {
      if (!isAlive(before + row)) continue;
      const key = batch.putKeys.subarray(4 * row, 4 * row + 4);
      // Never splits the rows of a chunk: the second frame would replace the rows of the first one.
      if (collected.count * rowBytes >= FRAME_BYTES && !collected.endsWith(key)) {
        yield collected.batch(upTo, dimensions);
        [collected, isFirst] = [new Rows(), false];
      }
      collected.add(key, batch.sets[batch.setOf[row] ?? 0] ?? '{}', rowOf(batch.vectors, rowBytes, row));
    }
    before += batch.setOf.length;
  }
  if (isFirst || collected.count > 0) yield collected.batch(upTo, dimensions);
}

class Rows {
  readonly #keys: Uint32Array[] = [];
  readonly #vectors: Uint8Array[] = [];
  readonly #setOf: number[] = [];
  readonly #sets = new Map<string, number>();

  get count(): number {
    return this.#keys.length;
  }

  endsWith(key: Uint32Array): boolean {
    const last = this.#keys.at(-1);
    return last !== undefined && sameKey(last, key);
  }

  add(key: Uint32Array, set: string, vector: Uint8Array): void {
    const number = this.#sets.get(set) ?? this.#sets.size;
    this.#sets.set(set, number);
    this.#keys.push(key);
    this.#setOf.push(number);
    this.#vectors.push(vector);
  }

  batch(upTo: Position, dimensions: number): RowBatch {
    const putKeys = new Uint32Array(4 * this.count);
    this.#keys.forEach((key, i) => putKeys.set(key, 4 * i));
    return {
      upTo,
      dimensions,
      sets: [...this.#sets.keys()],
      setOf: Uint32Array.from(this.#setOf),
      putKeys,
      removeKeys: new Uint32Array(0),
      vectors: inParts(Buffer.concat(this.#vectors), 4 * dimensions),
    };
  }
}
