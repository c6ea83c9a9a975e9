import type { ChunkId } from './ids.ts';

/** The share (0 to `count` - 1) that a chunk belongs to. Chunk ids are hashes, so their first 32 bits are evenly distributed. */
export const shareOf = (chunk: ChunkId, count: number): number => Number.parseInt(chunk.slice(0, 8), 16) % count;
