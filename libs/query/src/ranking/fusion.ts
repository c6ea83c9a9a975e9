import type { ChunkId } from '@palimpsest/knowledge';

export type Scored = Readonly<{ chunkId: ChunkId; score: number }>;
/** What the two searches found, best first. A chunk that a list names twice counts where it stands first. */
export type RankedLists = Readonly<{ dense: readonly Scored[]; lexical: readonly Scored[] }>;
/** `rank` is 1-based; `score` is the search's own: cosine or BM25. */
export type Ranking = Readonly<{ rank: number; score: number }>;
/** A score as a sum that can be read. */
export type Explanation = Readonly<{ label: string; value: number; parts?: readonly Explanation[] }>;
/**
 * `explained().value` is `score`, and its parts say what each list gave to it. Put into words when it is asked for: of hundreds of
 * candidates few are shown, and fewer explained.
 */
export type FusedHit = Readonly<{ chunkId: ChunkId; score: number; explained: () => Explanation; dense?: Ranking; lexical?: Ranking }>;

const SOURCES = ['dense', 'lexical'] as const;
type Source = (typeof SOURCES)[number];
type Rankings = Partial<Record<Source, Ranking>>;

/** The part that one list gives to a hit's score, and what is said of it. */
type Contribution = Readonly<{ value: (source: Source, ranking: Ranking) => number; label: (source: Source, ranking: Ranking) => string }>;
/** Of two lists' values; 0 stands for the list that does not hold the chunk. */
type Combination = (one: number, other: number) => number;

const sum: Combination = (one, other) => one + other;

/** Best first, equal scores by chunk id: the same lists always give the same order. */
export const byScoreThenId = (one: Scored, other: Scored): number =>
  other.score - one.score || (one.chunkId < other.chunkId ? -1 : one.chunkId > other.chunkId ? 1 : 0);

const rankingsOf = (lists: RankedLists): ReadonlyMap<ChunkId, Rankings> => {
  const found = new Map<ChunkId, Rankings>();
  for (const source of SOURCES)
    lists[source].forEach(({ chunkId, score }, index) => {
      const ranking = { rank: index + 1, score };
      const rankings = found.get(chunkId);
      if (rankings === undefined) found.set(chunkId, source === 'dense' ? { dense: ranking } : { lexical: ranking });
      else rankings[source] ??= ranking;
    });
  return found;
};

const fuse = (lists: RankedLists, label: string, { value, label: labelOf }: Contribution, combine: Combination): readonly FusedHit[] => {
  const hits: FusedHit[] = [];
  for (const [chunkId, rankings] of rankingsOf(lists)) {
    const { dense, lexical } = rankings;
    const score = combine(dense === undefined ? 0 : value('dense', dense), lexical === undefined ? 0 : value('lexical', lexical));
    const explained = (): Explanation => ({ label, value: score, parts: partsOf(rankings, (source, ranking) => ({ label: labelOf(source, ranking), value: value(source, ranking) })) });
    hits.push({ chunkId, score, explained, ...rankings });
  }
  return hits.sort(byScoreThenId);
};

const partsOf = <Part>(rankings: Rankings, part: (source: Source, ranking: Ranking) => Part): readonly Part[] =>
  SOURCES.flatMap((source) => {
    const ranking = rankings[source];
    return ranking === undefined ? [] : part(source, ranking);
  });

/** As in the paper below; a higher k gives more weight to chunks that both lists hold, a lower one to the very first ranks. */
export const RRF_K = 60;

/**
 * Reciprocal rank fusion: the sum of 1 / (k + rank) over the lists that hold the chunk. Needs no comparable scores.
 * Cormack, Clarke, Büttcher: Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods (SIGIR 2009).
 */
export const fuseRrf = (lists: RankedLists, k = RRF_K): readonly FusedHit[] =>
  fuse(
    lists,
    'reciprocal rank fusion',
    { value: (_source, { rank }) => 1 / (k + rank), label: (source, { rank }) => `1 / (${k} + ${source} rank ${rank})` },
    sum,
  );

type Normalise = (source: Source, score: number) => number;

/** Scores of each list moved to 0 (its last) … 1 (its first); 1 for all when they are equal. */
const minMax = (lists: RankedLists): Normalise => {
  const range = (source: Source): readonly [least: number, most: number] =>
    lists[source].reduce<readonly [number, number]>(
      ([least, most], { score }) => [Math.min(least, score), Math.max(most, score)],
      [Infinity, -Infinity],
    );
  const ranges = { dense: range('dense'), lexical: range('lexical') };
  return (source, score) => {
    const [least, most] = ranges[source];
    return most > least ? (score - least) / (most - least) : 1;
  };
};

const rounded = (value: number): string => String(Number(value.toFixed(4)));

export type FusionWeights = Readonly<{ dense: number; lexical: number }>;
export const DEFAULT_WEIGHTS: FusionWeights = { dense: 0.7, lexical: 0.3 };

/**
 * Weighted sum of the scores after min-max normalisation of each list; a list that does not hold the chunk gives 0.
 * Fox, Shaw: Combination of Multiple Searches (TREC-2, 1994), CombSUM with weights.
 */
export const fuseWeighted = (lists: RankedLists, weights: FusionWeights = DEFAULT_WEIGHTS): readonly FusedHit[] => {
  const normalised = minMax(lists);
  const contribution: Contribution = {
    value: (source, { score }) => weights[source] * normalised(source, score),
    label: (source, { rank, score }) => `${weights[source]} × ${source} ${rounded(normalised(source, score))} (rank ${rank}, score ${rounded(score)})`,
  };
  return fuse(lists, 'weighted sum', contribution, sum);
};

/** A chunk counts as much as its better place: the larger of its normalised scores (CombMAX of the paper above). */
export const fuseSimple = (lists: RankedLists): readonly FusedHit[] => {
  const normalised = minMax(lists);
  const contribution: Contribution = {
    value: (source, { score }) => normalised(source, score),
    label: (source, { rank, score }) => `${source} ${rounded(normalised(source, score))} (rank ${rank}, score ${rounded(score)})`,
  };
  return fuse(lists, 'best of both', contribution, Math.max);
};
