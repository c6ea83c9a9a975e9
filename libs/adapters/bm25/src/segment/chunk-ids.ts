import type { ChunkId } from '@palimpsest/knowledge';

/** Chunk ids, four words of 32 bits each, one after another: 16 bytes instead of a string of 32 digits. */
export type ChunkIds = Uint32Array;

export const WORDS = 4;

export const writeId = (ids: ChunkIds, at: number, id: ChunkId): void => {
  for (let word = 0; word < WORDS; word++) ids[at * WORDS + word] = Number.parseInt(id.slice(word * 8, word * 8 + 8), 16);
};

export const readId = (ids: ChunkIds, at: number): ChunkId => {
  let id = '';
  for (let word = 0; word < WORDS; word++) id += (ids[at * WORDS + word] as number).toString(16).padStart(8, '0');
  return id as ChunkId;
};

/** Negative, 0 or positive, in the order of the digits. */
export const compareIds = (a: ChunkIds, i: number, b: ChunkIds, j: number): number => {
  for (let word = 0; word < WORDS; word++) {
    const difference = (a[i * WORDS + word] as number) - (b[j * WORDS + word] as number);
    if (difference !== 0) return difference;
  }
  return 0;
};

/** Where `wanted` (one id) lies in sorted ids, or -1. */
export const findId = (ids: ChunkIds, wanted: ChunkIds): number => {
  let low = 0;
  let high = ids.length / WORDS - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const order = compareIds(ids, middle, wanted, 0);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
};
