import type { ChunkId } from '@palimpsest/knowledge/values';
import { byScoreThenId, type RankedLists } from './ranked-list.ts';

/** `rank` is 1-based; `score` is that of the search: cosine or BM25. */
export type Ranking = Readonly<{ rank: number; score: number }>;
/** A score as a sum of labelled parts, for people. */
export type Explanation = Readonly<{ label: string; value: number; parts?: readonly Explanation[] }>;
/**
 * `explained().value` is `score`, and its parts show the contribution of each list. The explanation is built on demand: of hundreds
 * of candidates few are shown, and fewer are explained.
 */
export type FusedHit = Readonly<{
  chunkId: ChunkId;
  score: number;
  explained: () => Explanation;
  stages: Readonly<{ dense?: Ranking; lexical?: Ranking }>;
}>;

const SOURCES = ['dense', 'lexical'] as const;
type Source = (typeof SOURCES)[number];
/** A ranking with its standard score. */
type Place = Ranking & Readonly<{ standard: number }>;
type Rankings = Partial<Record<Source, Place>>;

/** The contribution of one list to a hit's score; undefined for a list that contributes nothing. Formatting labels takes longer than fusion itself. */
type Part = Readonly<{ value: number; label: () => string }>;
type Contribution = (source: Source, ranking: Place | undefined, chunkId: ChunkId) => Part | undefined;
/** Combines the values of two lists; 0 for a list that contributes nothing. */
type Combination = (one: number, other: number) => number;

const sum: Combination = (one, other) => one + other;

const rankingsOf = (lists: RankedLists): ReadonlyMap<ChunkId, Rankings> => {
  const found = new Map<ChunkId, Rankings>();
  for (const source of SOURCES)
    lists[source].hits.forEach(({ chunkId, score, standard }, index) => {
      const ranking = { rank: index + 1, score, standard };
      const rankings = found.get(chunkId);
      if (rankings === undefined) found.set(chunkId, source === 'dense' ? { dense: ranking } : { lexical: ranking });
      else rankings[source] ??= ranking;
    });
  return found;
};

const fuse = (lists: RankedLists, label: string, contribution: Contribution, combine: Combination): readonly FusedHit[] => {
  const hits: FusedHit[] = [];
  for (const [chunkId, rankings] of rankingsOf(lists)) {
    const part = (source: Source): Part | undefined => contribution(source, rankings[source], chunkId);
    const score = combine(part('dense')?.value ?? 0, part('lexical')?.value ?? 0);
    const explained = (): Explanation => ({ label, value: score, parts: SOURCES.flatMap((source) => labelled(part(source))) });
    hits.push({ chunkId, score, explained, stages: rankings });
  }
  return hits.sort(byScoreThenId);
};

const labelled = (part: Part | undefined): readonly Explanation[] => (part ? [{ label: part.label(), value: part.value }] : []);

/** As in the paper below. A higher k gives more weight to chunks in both lists, a lower k to the first ranks. */
const RRF_K = 60;

/**
 * Reciprocal rank fusion: the sum of 1 / (k + rank) over the lists that contain the chunk. Does not need comparable scores.
 * Cormack, Clarke, Büttcher: Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods (SIGIR 2009).
 */
export const fuseRrf = (lists: RankedLists, k = RRF_K): readonly FusedHit[] =>
  fuse(
    lists,
    'reciprocal rank fusion',
    (source, ranking) => ranking && { label: () => `1 / (${k} + ${source} rank ${ranking.rank})`, value: 1 / (k + ranking.rank) },
    sum,
  );

type Normalise = (source: Source, standard: number) => number;

/** Scales the scores of each list to 0 (its last) … 1 (its first); all to 1 when they are equal. */
const minMax = (lists: RankedLists): Normalise => {
  const range = (source: Source): readonly [min: number, max: number] =>
    lists[source].hits.reduce<readonly [number, number]>(
      ([min, max], { standard }) => [Math.min(min, standard), Math.max(max, standard)],
      [Infinity, -Infinity],
    );
  const ranges = { dense: range('dense'), lexical: range('lexical') };
  return (source, standard) => {
    const [min, max] = ranges[source];
    return max > min ? (standard - min) / (max - min) : 1;
  };
};

const rounded = (value: number): string => String(Number(value.toFixed(4)));

export type FusionWeights = Readonly<{ dense: number; lexical: number }>;
const DEFAULT_WEIGHTS: FusionWeights = { dense: 0.7, lexical: 0.3 };

/**
 * Weighted sum of the scores after min-max normalisation of each list; a list that does not contain the chunk contributes 0.
 * Fox, Shaw: Combination of Multiple Searches (TREC-2, 1994), CombSUM with weights.
 */
export const fuseWeighted = (lists: RankedLists, weights: FusionWeights = DEFAULT_WEIGHTS): readonly FusedHit[] => {
  const normalised = minMax(lists);
  const contribution: Contribution = (source, ranking) => {
    if (ranking === undefined) return undefined;
    const { rank, score, standard } = ranking;
    return {
      label: () => `${weights[source]} × ${source} ${rounded(normalised(source, standard))} (rank ${rank}, score ${rounded(score)})`,
      value: weights[source] * normalised(source, standard),
    };
  };
  return fuse(lists, 'weighted sum', contribution, sum);
};

/** A chunk gets the larger of its normalised scores (CombMAX of the paper above). */
export const fuseSimple = (lists: RankedLists): readonly FusedHit[] => {
  const normalised = minMax(lists);
  const contribution: Contribution = (source, ranking) => {
    if (ranking === undefined) return undefined;
    const { rank, score, standard } = ranking;
    return {
      label: () => `${source} ${rounded(normalised(source, standard))} (rank ${rank}, score ${rounded(score)})`,
      value: normalised(source, standard),
    };
  };
  return fuse(lists, 'best of both', contribution, Math.max);
};

/** Weight of the cosine, between 0 and 1; the words have the rest. */
export const DENSE_WEIGHT = 0.6;
/** For a language that the model was not trained on: its cosine means little there, so the words decide. */
export const FOREIGN_DENSE_WEIGHT = 0.2;

/**
 * Weighted sum of standard scores: how far a chunk stands out among all scores of the query, in each search. A word that occurs once
 * in a thousand chunks counts for more than one that half of them contain, which ranks cannot express. A chunk that is not in a list
 * gets the list's `absent` score. Weights: docs/explanation/ranking.md.
 */
export const fuseStandardScores = (
  lists: RankedLists,
  denseWeight: (chunkId: ChunkId) => number = () => DENSE_WEIGHT,
): readonly FusedHit[] => {
  const contribution: Contribution = (source, ranking, chunkId) => {
    const weight = source === 'dense' ? denseWeight(chunkId) : 1 - denseWeight(chunkId);
    const standard = ranking?.standard ?? lists[source].absent;
    const label = (): string => {
      const place = ranking === undefined ? 'not among the candidates' : `rank ${ranking.rank}, score ${rounded(ranking.score)}`;
      return `${rounded(weight)} × ${source} ${rounded(standard)} (${place})`;
    };
    return { label, value: weight * standard };
  };
  return fuse(lists, 'weighted sum of standard scores', contribution, sum);
};
