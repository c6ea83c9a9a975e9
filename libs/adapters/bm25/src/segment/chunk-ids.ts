import { CHUNK_WORDS } from '@palimpsest/contracts';

/** Concatenated chunk ids, four words of 32 bits each. */
export type ChunkIds = Uint32Array;

/** Returns a negative number, 0 or a positive number, in the order of the digits. */
export const compareIds = (a: ChunkIds, i: number, b: ChunkIds, j: number): number => {
  for (let word = 0; word < CHUNK_WORDS; word++) {
    const difference = (a[i * CHUNK_WORDS + word] as number) - (b[j * CHUNK_WORDS + word] as number);
    if (difference !== 0) return difference;
  }
  return 0;
};

/** Returns the index of `wanted` (one id) in sorted ids, or -1. */
export const findId = (ids: ChunkIds, wanted: ChunkIds): number => {
  let low = 0;
  let high = ids.length / CHUNK_WORDS - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const order = compareIds(ids, middle, wanted, 0);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
};

/** Sorted lists without common ids as one sorted list. In pairs, so that each id is moved a few times, however many lists there are. */
export const mergedIds = (lists: readonly ChunkIds[]): ChunkIds => {
  const [first = new Uint32Array(), second] = lists;
  if (second === undefined) return first;
  const middle = lists.length >>> 1;
  return mergedPair(mergedIds(lists.slice(0, middle)), mergedIds(lists.slice(middle)));
};

const mergedPair = (a: ChunkIds, b: ChunkIds): ChunkIds => {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
  const merged = new Uint32Array(a.length + b.length);
  let [i, j] = [0, 0];
  for (let at = 0; at < merged.length; at += CHUNK_WORDS) {
    const isFromA = j * CHUNK_WORDS === b.length || (i * CHUNK_WORDS < a.length && compareIds(a, i, b, j) < 0);
    copyId(isFromA ? a : b, isFromA ? i++ : j++, merged, at);
  }
  return merged;
};

/** `at`: the word of `to` at which the id begins. */
export const copyId = (from: ChunkIds, index: number, to: ChunkIds, at: number): void => {
  for (let word = 0; word < CHUNK_WORDS; word++) to[at + word] = from[index * CHUNK_WORDS + word] as number;
};
