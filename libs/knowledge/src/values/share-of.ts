import type { ChunkId } from './ids.ts';

/** Which of `count` shares a chunk belongs to: its id is a hash, so its first 32 bits spread evenly. */
export const shareOf = (chunk: ChunkId, count: number): number => Number.parseInt(chunk.slice(0, 8), 16) % count;
