import type { ChunkId } from '@palimpsest/knowledge/values';
import type { SearchHit } from '../pipeline/search-hit.ts';
import type { Cause } from './cause.ts';
import type { Side } from './run-side.ts';

export type HitChange = Readonly<{
  change: 'gained' | 'lost' | 'moved';
  /** As the newer side shows it, or the older one if it was lost. */
  hit: SearchHit;
  before?: Readonly<{ rank: number; score: number }>;
  after?: Readonly<{ rank: number; score: number }>;
  causes: readonly Cause[];
}>;

export type SideComparison = Readonly<{ changes: readonly HitChange[]; unchanged: number }>;

/** The hits that came, went or changed their rank, in the order of the newer side; lost ones last. */
export const compareSides = (before: Side, after: Side, causesOf: (chunk: SearchHit) => readonly Cause[]): SideComparison => {
  const [old, fresh] = [byChunk(before), byChunk(after)];
  const changes: HitChange[] = [];
  let unchanged = 0;
  for (const hit of after.hits) {
    const was = old.get(hit.chunkId);
    if (was?.rank === hit.rank) unchanged++;
    else
      changes.push({
        change: was === undefined ? 'gained' : 'moved',
        hit,
        ...(was === undefined ? {} : { before: placeOf(was) }),
        after: placeOf(hit),
        causes: causesOf(hit),
      });
  }
  for (const hit of before.hits)
    if (!fresh.has(hit.chunkId)) changes.push({ change: 'lost', hit, before: placeOf(hit), causes: causesOf(hit) });
  return { changes, unchanged };
};

const byChunk = ({ hits }: Side): ReadonlyMap<ChunkId, SearchHit> => new Map(hits.map((hit) => [hit.chunkId, hit]));
const placeOf = ({ rank, score }: SearchHit): Readonly<{ rank: number; score: number }> => ({ rank, score });
