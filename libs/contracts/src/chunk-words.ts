import { InvalidValue, type ChunkId } from '@palimpsest/knowledge';

/** Chunk ids as four words of 32 bits each, most significant first: 16 bytes instead of a string of 32 digits, and comparing words is comparing ids. */
export const CHUNK_WORDS = 4;

// Digits are made and read by Buffer, ten times as fast as by numbers: each search names some hundreds of candidates.
const bytes = Buffer.alloc(16);
const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/**
 * Writes the words of an id at place `at` of an array of ids.
 * @throws InvalidValue when `id` is not 32 hexadecimal digits
 */
export const writeChunkWords = (words: Uint32Array, at: number, id: ChunkId): void => {
  if (!/^[0-9a-f]{32}$/.test(id)) throw new InvalidValue('chunkId', '32 hexadecimal digits', id);
  bytes.write(id, 'hex');
  for (let word = 0; word < CHUNK_WORDS; word++) words[at * CHUNK_WORDS + word] = view.getUint32(word * 4);
};

/** The id whose words stand at place `at`. Not parsed again: only `writeChunkWords` makes the words. */
export const chunkIdAt = (words: Uint32Array, at: number): ChunkId => {
  for (let word = 0; word < CHUNK_WORDS; word++) view.setUint32(word * 4, words[at * CHUNK_WORDS + word] as number);
  return bytes.toString('hex') as ChunkId;
};
