import { CHUNK_WORDS, writeChunkWords } from '@palimpsest/contracts';
import type { ChunkId } from '@palimpsest/knowledge/values';

/** A chunk id as four 32-bit words, most significant first. */
export type ChunkKey = Uint32Array;

/** @throws InvalidValue when `id` is not 32 hexadecimal digits */
export const chunkKey = (id: ChunkId): ChunkKey => {
  const key = new Uint32Array(CHUNK_WORDS);
  writeChunkWords(key, 0, id);
  return key;
};

export const sameKey = (a: ChunkKey, b: ChunkKey): boolean => a.every((word, i) => word === b[i]);
