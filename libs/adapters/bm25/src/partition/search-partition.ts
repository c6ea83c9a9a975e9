import { chunkIdAt } from '@palimpsest/contracts';
import { readingLanguages, type LexicalHit, type LexicalQuery } from '@palimpsest/knowledge/read-models';
import type { ChunkId } from '@palimpsest/knowledge/values';
import { analyseQuery } from '../analysis/analyse-query.ts';
import { MAX_QUERY_TERMS, roundedAverage, toScore, weightOf, type Bm25Parameters } from '../scoring/bm25.ts';
import { MARK_WORDS } from '../scoring/kernel.ts';
import { compareIds } from '../segment/chunk-ids.ts';
import type { LiveSegment } from '../segment/live-segment.ts';
import { findPosting, findTerm } from '../segment/segment.ts';
import type { Partition } from './partition.ts';

/** A term of the query that occurs in a live chunk. `at`: its index in each segment of the partition, -1 where it does not occur. */
export type QueryTerm = Readonly<{
  term: string;
  number: number;
  frequency: number;
  at: readonly number[];
  documentFrequency: number;
  weight: number;
}>;

type Candidate = Readonly<{ live: LiveSegment; chunk: number; points: number }>;
/** The terms of a query that occur in a segment, with their index there. */
type TermsHere = Readonly<{ names: readonly string[]; terms: readonly number[]; weights: readonly number[] }>;

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
  const asked = new Map<LiveSegment, TermsHere>();
  let best: Candidate[] = [];
  for (const [i, live] of partition.segments().entries()) {
    const here = termsIn(i, terms);
    if (here.terms.length === 0) continue;
    asked.set(live, here);
    const atLeast = best.length === k ? (best[k - 1] as Candidate).points : 1;
    const hits = live.search({ terms: here.terms, weights: here.weights, k, atLeast }, { kept, chunks }, scoring);
    const found = Array.from(hits.chunks, (chunk, at) => ({ live, chunk, points: hits.points[at] as number }));
    best = (best.length === 0 ? found : [...best, ...found]).sort(byRank).slice(0, k);
  }
  const held = new Map([...asked].map(([live, here]) => [live, namesIn(live, here, best)]));
  return best.map(({ live, chunk, points }) => ({
    chunkId: chunkIdAt(live.segment.ids, chunk),
    score: toScore(points),
    terms: held.get(live)?.get(chunk) ?? [],
  }));
};

/** Higher points first; ties are ordered by chunk id. */
const byRank = (a: Candidate, b: Candidate): number =>
  b.points - a.points || compareIds(a.live.segment.ids, a.chunk, b.live.segment.ids, b.chunk);

/** Returns the analysed terms of the query that occur in this partition: at most 128, those with the highest weight. */
export const queryTerms = (partition: Partition, text: string, language?: string): readonly QueryTerm[] => {
  const segments = partition.segments();
  const found: QueryTerm[] = [];
  for (const [term, frequency] of analyseQuery(text, readingLanguages(partition.languages(), language))) {
    const number = partition.dictionary.find(term);
    if (number < 0) continue;
    const at = segments.map(({ segment }) => findTerm(segment, number));
    const documentFrequency = segments.reduce((sum, live, i) => sum + frequencyAt(live, at[i] as number), 0);
    if (documentFrequency > 0)
      found.push({ term, number, frequency, at, documentFrequency, weight: frequency * weightOf(partition.count, documentFrequency) });
  }
  if (found.length <= MAX_QUERY_TERMS) return found;
  return found.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1)).slice(0, MAX_QUERY_TERMS);
};

const frequencyAt = (live: LiveSegment, at: number): number => (at < 0 ? 0 : live.documentFrequency(at));

export const documentFrequencyOf = (partition: Partition, term: number): number =>
  partition.segments().reduce((sum, live) => sum + frequencyAt(live, findTerm(live.segment, term)), 0);

const termsIn = (segment: number, query: readonly QueryTerm[]): TermsHere => {
  const here = query.filter(({ at }) => (at[segment] as number) >= 0);
  return {
    names: here.map(({ term }) => term),
    terms: here.map(({ at }) => at[segment] as number),
    weights: here.map(({ weight }) => weight),
  };
};

/** Returns the terms of each candidate of a segment, by its chunk. */
const namesIn = (live: LiveSegment, { names, terms }: TermsHere, best: readonly Candidate[]): ReadonlyMap<number, readonly string[]> => {
  const chunks = Uint32Array.from(best.filter((each) => each.live === live).map(({ chunk }) => chunk)).sort();
  const marks = live.mark(terms, chunks);
  const isSet = (i: number, t: number): boolean => ((marks[i * MARK_WORDS + (t >> 5)] as number) & (1 << (t & 31))) !== 0;
  return new Map(Array.from(chunks, (chunk, i) => [chunk, names.filter((_, t) => isSet(i, t))]));
};

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
