import type { ChunkPlace } from '@palimpsest/knowledge/events';
import type { ChunkId } from '@palimpsest/knowledge/values';

type Placed = ChunkPlace & Readonly<{ chunkId: ChunkId }>;
type Place = Readonly<{ index: number; fromLine: number; toLine: number; page?: number }>;
export type ChunkChange = Readonly<{ change: 'kept' | 'added' | 'removed'; chunkId: ChunkId; from?: Place; to?: Place }>;

/** In the order of the later version. Removed chunks are where they were, before the added ones that replace them. */
export const compareChunks = (before: readonly Placed[], after: readonly Placed[]): readonly ChunkChange[] => {
  const earlier = new Map(before.map((chunk, index) => [chunk.chunkId, placeOf(chunk, index)]));
  const later = new Set(after.map(({ chunkId }) => chunkId));
  const changes: ChunkChange[] = [];
  let reached = 0;
  /** Lists the removed chunks up to an index of the earlier version; `isEnd`: or up to the next one that was kept. */
  const pass = (end: number, isEnd: (id: ChunkId) => boolean = () => false): void => {
    for (let chunk = before[reached]; chunk && reached < end && !isEnd(chunk.chunkId); chunk = before[++reached])
      if (!later.has(chunk.chunkId)) changes.push({ change: 'removed', chunkId: chunk.chunkId, from: placeOf(chunk, reached) });
  };
  for (const [index, chunk] of after.entries()) {
    const { chunkId } = chunk;
    const from = earlier.get(chunkId);
    if (from) pass(from.index);
    else pass(before.length, (id) => later.has(id));
    changes.push({ change: from ? 'kept' : 'added', chunkId, ...(from ? { from } : {}), to: placeOf(chunk, index) });
    if (from) reached = Math.max(reached, from.index + 1);
  }
  pass(before.length);
  return changes;
};

const placeOf = ({ fromLine, toLine, page }: Placed, index: number): Place => ({
  index,
  fromLine,
  toLine,
  ...(page === undefined ? {} : { page }),
});
