import type { Schemas } from '@qdrant/js-client-rest';
import { CHUNK_WORDS, isSelectedBy } from '@palimpsest/contracts';
import { matches, type Filter } from '@palimpsest/knowledge/access';
import type { ChunkSelection } from '@palimpsest/knowledge/selections';
import type { ChunkId } from '@palimpsest/knowledge/values';
import { attributesIn } from './attribute-payload.ts';
import { translate } from './filter-translation.ts';
import type { FoundPoint } from './partition-points.ts';
import type { PartitionSeal } from './partition-seal.ts';

export type Ranked = Readonly<{ chunkId: ChunkId; score: number }>;

export type RankedSearch<Hit extends Ranked> = Readonly<{
  k: number;
  filter: Filter | undefined;
  chunks: ChunkSelection | undefined;
  seal: PartitionSeal;
  /** Maximum difference between a result's final score and the server's. */
  slack: number;
  /** The condition for a selection of chunks. */
  among: (chunks: ChunkSelection) => Schemas['Condition'];
  ask: (limit: number, conditions: readonly Schemas['Condition'][], payload: readonly string[]) => Promise<readonly FoundPoint[]>;
  /** Results with their final scores. May leave out points that cannot be among the `k` best. */
  score: (points: readonly FoundPoint[], k: number) => Promise<readonly Hit[]>;
}>;

/** Ids in one request: 2 MB. With more, results are compared with the ids. */
const MAX_IDS = 50_000;

/**
 * The exact `k` best of a partition: requests more from the server until no other point can be one of them.
 * The server drops equal scores at any place, rounds scores in its own way, and cannot evaluate parts of some filters.
 */
export const rankedSearch = async <Hit extends Ranked>(search: RankedSearch<Hit>): Promise<readonly Hit[]> => {
  const { k, slack, ask, score } = search;
  const [filtered, selected] = [ofFilter(search), ofSelection(search)];
  if (filtered.condition === false) return [];
  const conditions = [filtered.condition, selected.condition].filter((condition) => condition !== true);
  const tests = [filtered.test, selected.test].filter((test) => test !== undefined);
  const payload = filtered.test === undefined ? [] : ['attributes'];
  for (let limit = tests.length === 0 ? k + 1 : 2 * k + 16; ; limit *= 4) {
    const points = await ask(limit, conditions, payload);
    const fitting = points.filter((point) => tests.every((test) => test(point)));
    const hits = [...(await score(fitting, k))].sort((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1)).slice(0, k);
    const unseen = points.length < limit ? -Infinity : Math.min(...points.map((point) => point.score)) + slack;
    const worst = hits[k - 1]?.score ?? -Infinity;
    if (unseen === -Infinity || worst > unseen) return hits;
  }
};

/** `condition`: for the server. `test`: what the server cannot evaluate, for each result. */
type Limit<Condition> = Readonly<{ condition: Condition; test?: (point: FoundPoint) => boolean }>;

const ofFilter = ({ filter, seal }: Pick<RankedSearch<Ranked>, 'filter' | 'seal'>): Limit<Schemas['Condition'] | boolean> => {
  if (filter === undefined) return { condition: true };
  const { condition, exact } = translate(filter, seal);
  return exact ? { condition } : { condition, test: (point) => fits(point, filter, seal) };
};

const ofSelection = ({ chunks, among }: Pick<RankedSearch<Ranked>, 'chunks' | 'among'>): Limit<Schemas['Condition'] | true> => {
  if (chunks === undefined) return { condition: true };
  if (listLength(chunks) <= MAX_IDS) return { condition: among(chunks) };
  const isSelected = isSelectedBy(chunks);
  return { condition: true, test: ({ chunkId }) => isSelected(chunkId) };
};

const listLength = (chunks: ChunkSelection): number => ('only' in chunks ? chunks.only : chunks.except).length / CHUNK_WORDS;

/** A point whose attributes do not open was not written by us: no condition is true of it, not even a `not`. */
const fits = (point: FoundPoint, filter: Filter, seal: PartitionSeal): boolean => {
  const attributes = attributesIn(seal, point);
  return attributes !== undefined && matches(filter, attributes);
};
