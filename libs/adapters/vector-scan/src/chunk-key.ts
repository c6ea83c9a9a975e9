import { InvalidValue, type ChunkId } from '@palimpsest/knowledge';

/** A chunk id as four 32-bit words, most significant first: comparing words is comparing ids. */
export type ChunkKey = Uint32Array;

/** @throws InvalidValue when `id` is not 32 hexadecimal digits */
export const chunkKey = (id: ChunkId): ChunkKey => {
  if (!/^[0-9a-f]{32}$/.test(id)) throw new InvalidValue('chunkId', '32 hexadecimal digits', id);
  return Uint32Array.from({ length: 4 }, (_, i) => Number.parseInt(id.slice(8 * i, 8 * i + 8), 16));
};

export const chunkIdOf = (key: ChunkKey): ChunkId =>
  // Not parsed again: only `chunkKey` makes the words.
  Array.from(key, (word) => word.toString(16).padStart(8, '0')).join('') as ChunkId;
