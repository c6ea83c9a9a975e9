import type { Schemas } from '@qdrant/js-client-rest';
import { matches, type Filter } from '@palimpsest/knowledge/access';
import type { ChunkId } from '@palimpsest/knowledge/values';
import { attributesIn } from './attribute-payload.ts';
import { translate } from './filter-translation.ts';
import type { FoundPoint } from './partition-points.ts';
import type { PartitionSeal } from './partition-seal.ts';

export type Ranked = Readonly<{ chunkId: ChunkId; score: number }>;

export type RankedSearch<Hit extends Ranked> = Readonly<{
  k: number;
  filter: Filter | undefined;
  seal: PartitionSeal;
  /** Maximum difference between a result's final score and the server's. */
  slack: number;
  ask: (limit: number, conditions: readonly Schemas['Condition'][], payload: readonly string[]) => Promise<readonly FoundPoint[]>;
  /** Results with their final scores. May leave out points that cannot be among the `k` best. */
  score: (points: readonly FoundPoint[], k: number) => Promise<readonly Hit[]>;
}>;

/**
 * The exact `k` best of a partition: requests more from the server until no other point can be one of them.
 * The server drops equal scores at any place, rounds scores in its own way, and cannot evaluate parts of some filters.
 */
export const rankedSearch = async <Hit extends Ranked>({
  k,
  filter,
  seal,
  slack,
  ask,
  score,
}: RankedSearch<Hit>): Promise<readonly Hit[]> => {
  const { condition, exact } = filter === undefined ? { condition: true, exact: true } : translate(filter, seal);
  if (condition === false) return [];
  const conditions = condition === true ? [] : [condition];
  const payload = exact ? [] : ['attributes'];
  for (let limit = exact ? k + 1 : 2 * k + 16; ; limit *= 4) {
    const points = await ask(limit, conditions, payload);
    const fitting = filter === undefined || exact ? points : points.filter((point) => fits(point, filter, seal));
    const hits = [...(await score(fitting, k))].sort((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1)).slice(0, k);
    const unseen = points.length < limit ? -Infinity : Math.min(...points.map((point) => point.score)) + slack;
    const worst = hits[k - 1]?.score ?? -Infinity;
    if (unseen === -Infinity || worst > unseen) return hits;
  }
};

/** A point whose attributes do not open was not written by us: no condition is true of it, not even a `not`. */
const fits = (point: FoundPoint, filter: Filter, seal: PartitionSeal): boolean => {
  const attributes = attributesIn(seal, point);
  return attributes !== undefined && matches(filter, attributes);
};
