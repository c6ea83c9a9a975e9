import type { Attributes } from '@palimpsest/knowledge/access';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { IndexRemoval, VectorPut } from '@palimpsest/knowledge/read-models';
import { MAX_DIMENSIONS, type Position } from '@palimpsest/knowledge/values';
import { chunkKey } from './chunk-key.ts';
import { UNIT_TOLERANCE } from './query-code.ts';
import { inParts, type RowParts } from './row-parts.ts';
import { canonicalAttributes } from '@palimpsest/contracts';

const LAST_POSITION = 2n ** 64n - 1n;

/**
 * The writes of one call, by column: the content of a frame and the input of a table. A chunk with several vectors has one row for each,
 * in sequence. The rows of a chunk are never in two places.
 */
export type RowBatch = Readonly<{
  upTo: Position;
  /** 0 until the first put of the partition. */
  dimensions: number;
  /** Distinct attribute records, as canonical JSON. */
  sets: readonly string[];
  /** For each row, the index of its record. */
  setOf: Uint32Array;
  /** Four words per row: the id of its chunk. */
  putKeys: Uint32Array;
  /** Four words per removal. */
  removeKeys: Uint32Array;
  /** dimensions x 4 bytes per row: little-endian float32, the byte order of every platform that Node 24 supports but one. */
  vectors: RowParts;
}>;

/**
 * Validates the writes of a call. Of several writes to one chunk, the last one wins.
 * @param dimensions of the partition; 0 when the first put sets them
 * @throws InvalidValue
 */
export const rowBatch = (writes: readonly (VectorPut | IndexRemoval)[], upTo: Position, dimensions: number): RowBatch => {
  if (upTo < 0n || upTo > LAST_POSITION) throw new InvalidValue('upTo', 'a position below 2^64', upTo);
  const width = dimensions || firstWidth(writes);
  const last = new Map<string, VectorPut | IndexRemoval>();
  writes.forEach((write, i) => {
    if (write.write === 'put') {
      checkUnit(write.vector, width, `writes[${i}].vector`);
      write.further?.forEach((vector, n) => checkUnit(vector, width, `writes[${i}].further[${n}]`));
    }
    last.set(write.chunkId, write);
  });
  const rows = [...last.values()]
    .filter((write) => write.write === 'put')
    .flatMap((put) => [put.vector, ...(put.further ?? [])].map((vector) => ({ ...put, vector })));
  const removals = [...last.values()].filter((write) => write.write === 'remove');
  const sets = new Map<string, number>();
  const putKeys = new Uint32Array(4 * rows.length);
  const setOf = new Uint32Array(rows.length);
  const vectors = new Float32Array(width * rows.length);
  rows.forEach(({ chunkId, vector, attributes }, i) => {
    putKeys.set(chunkKey(chunkId), 4 * i);
    vectors.set(vector, width * i);
    const json = canonicalAttributes(checkAttributes(attributes));
    const set = sets.get(json) ?? sets.size;
    sets.set(json, set);
    setOf[i] = set;
  });
  const removeKeys = new Uint32Array(4 * removals.length);
  removals.forEach(({ chunkId }, i) => removeKeys.set(chunkKey(chunkId), 4 * i));
  const parts = inParts(new Uint8Array(vectors.buffer), 4 * width);
  return { upTo, dimensions: width, sets: [...sets.keys()], setOf, putKeys, removeKeys, vectors: parts };
};

const firstWidth = (writes: readonly (VectorPut | IndexRemoval)[]): number => {
  const first = writes.find((write) => write.write === 'put');
  const width = first?.vector.length;
  if (width === 0 || (width ?? 0) > MAX_DIMENSIONS) throw new InvalidValue('vector', `1-${MAX_DIMENSIONS} dimensions`, width);
  return width ?? 0;
};

/** @throws InvalidValue unless the vector has the dimensions of the partition, is finite, and has length 1 (±1e-3) */
export const checkUnit = (vector: Float32Array, dimensions: number, field: string): void => {
  if (!(vector instanceof Float32Array)) throw new InvalidValue(field, 'a Float32Array', typeof vector);
  if (vector.length !== dimensions) throw new InvalidValue(field, `${dimensions} dimensions, like the partition`, vector.length);
  let squares = 0;
  for (const value of vector) squares += value * value;
  // Negated so that NaN is refused too.
  if (!(Math.abs(Math.sqrt(squares) - 1) <= UNIT_TOLERANCE))
    throw new InvalidValue(field, 'a finite vector of length 1', `length ${Math.sqrt(squares)}`);
};

const checkAttributes = (attributes: Attributes): Attributes => {
  for (const [name, value] of Object.entries(attributes))
    if (typeof value !== 'string' && typeof value !== 'boolean' && !Number.isFinite(value))
      throw new InvalidValue(`attributes.${name}`, 'a string, a finite number, true or false', String(value));
  return attributes;
};
