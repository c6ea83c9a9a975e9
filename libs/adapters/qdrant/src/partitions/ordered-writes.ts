import type { Schemas } from '@qdrant/js-client-rest';
import type { Ordered } from '@palimpsest/knowledge/read-models';
import type { Position } from '@palimpsest/knowledge/values';
import { notAfter } from './position-payload.ts';

/** Keeps only the latest of several writes to one chunk, which has the same result. Of equal ones it keeps the last. */
export const latest = <T extends Readonly<{ at: Position }>>(items: readonly T[], chunkOf: (item: T) => string): readonly T[] => {
  const kept = new Map<string, T>();
  for (const item of items) {
    const held = kept.get(chunkOf(item));
    if (held === undefined || item.at >= held.at) kept.set(chunkOf(item), item);
  }
  return [...kept.values()];
};

/** The stored points may be overwritten: each was put at or before its own position. One condition for a whole batch of upserts. */
export const overwritable = (points: readonly Ordered<{ id: string }>[]): Schemas['Filter'] => {
  const groups = new Map<Position, string[]>();
  for (const { id, at } of points) {
    const ids = groups.get(at);
    if (ids === undefined) groups.set(at, [id]);
    else ids.push(id);
  }
  const [only] = groups.keys();
  if (groups.size === 1 && only !== undefined) return notAfter(only);
  return { should: [...groups].map(([at, ids]) => ({ must: [{ has_id: ids }, notAfter(at)] })) };
};
