import { chunkIdAt } from '@palimpsest/contracts';
import { readingLanguages, type LexicalHit, type LexicalQuery } from '@palimpsest/knowledge/read-models';
import type { ChunkId } from '@palimpsest/knowledge/values';
import { analyseQuery } from '../analysis/analyse-query.ts';
import { MAX_QUERY_TERMS, roundedAverage, toScore, weightOf, type Bm25Parameters } from '../scoring/bm25.ts';
import { compareIds } from '../segment/chunk-ids.ts';
import type { LiveSegment } from '../segment/live-segment.ts';
import { findPosting, findTerm } from '../segment/segment.ts';
import type { Partition } from './partition.ts';

/** A term of the query that occurs in a live chunk. */
export type QueryTerm = Readonly<{ term: string; number: number; frequency: number; documentFrequency: number; weight: number }>;

type Candidate = Readonly<{ live: LiveSegment; chunk: number; points: number }>;

/** Returns exactly the `k` best live chunks that contain a term of the text and satisfy the filter. */
export const searchPartition = (
  partition: Partition,
  text: string,
  { k, filter, language, chunks }: LexicalQuery,
  parameters: Bm25Parameters,
): readonly LexicalHit[] => {
  const terms = queryTerms(partition, text, language);
  if (terms.length === 0) return [];
  const kept = filter === undefined ? undefined : partition.attributeSets.kept(filter);
  const scoring = { ...parameters, average: roundedAverage(partition.totalLength, partition.count) };
  let best: Candidate[] = [];
  for (const live of partition.segments()) {
    const query = inSegment(live, terms);
    if (query.terms.length === 0) continue;
    const atLeast = best.length === k ? (best[k - 1] as Candidate).points : 1;
    const hits = live.search({ ...query, k, atLeast }, { kept, chunks }, scoring);
    const found = Array.from(hits.chunks, (chunk, i) => ({ live, chunk, points: hits.points[i] as number }));
    best = [...best, ...found].sort(byRank).slice(0, k);
  }
  return best.map(({ live, chunk, points }) => ({
    chunkId: chunkIdAt(live.segment.ids, chunk),
    score: toScore(points),
    terms: held(live, chunk, terms),
  }));
};

/** Higher points first; ties are ordered by chunk id. */
const byRank = (a: Candidate, b: Candidate): number =>
  b.points - a.points || compareIds(a.live.segment.ids, a.chunk, b.live.segment.ids, b.chunk);

/** Returns the analysed terms of the query that occur in this partition: at most 128, those with the highest weight. */
export const queryTerms = (partition: Partition, text: string, language?: string): readonly QueryTerm[] => {
  const found: QueryTerm[] = [];
  for (const [term, frequency] of analyseQuery(text, readingLanguages(partition.languages(), language))) {
    const number = partition.dictionary.find(term);
    const documentFrequency = number < 0 ? 0 : documentFrequencyOf(partition, number);
    if (documentFrequency > 0)
      found.push({ term, number, frequency, documentFrequency, weight: frequency * weightOf(partition.count, documentFrequency) });
  }
  if (found.length <= MAX_QUERY_TERMS) return found;
  return found.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1)).slice(0, MAX_QUERY_TERMS);
};

export const documentFrequencyOf = (partition: Partition, term: number): number => {
  let live = 0;
  for (const segment of partition.segments()) {
    const at = findTerm(segment.segment, term);
    if (at >= 0) live += segment.documentFrequency(at);
  }
  return live;
};

const inSegment = ({ segment }: LiveSegment, query: readonly QueryTerm[]) => {
  const terms: number[] = [];
  const weights: number[] = [];
  for (const { number, weight } of query) {
    const at = findTerm(segment, number);
    if (at < 0) continue;
    terms.push(at);
    weights.push(weight);
  }
  return { terms, weights };
};

const held = ({ segment }: LiveSegment, chunk: number, terms: readonly QueryTerm[]): readonly string[] =>
  terms.filter(({ number }) => frequencyIn({ segment }, chunk, number) > 0).map(({ term }) => term);

/** Returns how often a term occurs in a chunk. */
export const frequencyIn = ({ segment }: Pick<LiveSegment, 'segment'>, chunk: number, term: number): number => {
  const at = findTerm(segment, term);
  const posting = at < 0 ? -1 : findPosting(segment, at, chunk);
  return posting < 0 ? 0 : (segment.frequencies[posting] as number);
};

/** Returns the segment that contains a live chunk, and the number of the chunk there. */
export const locate = (partition: Partition, chunkId: ChunkId): Readonly<{ live: LiveSegment; chunk: number }> | undefined => {
  const id = Uint32Array.from([0, 8, 16, 24], (from) => Number.parseInt(chunkId.slice(from, from + 8), 16));
  for (const live of partition.segments()) {
    const chunk = live.find(id);
    if (chunk >= 0) return { live, chunk };
  }
  return undefined;
};
