import type { ChunkId } from '@palimpsest/knowledge/values';
import { impactOf, lengthNorm, roundedAverage, toScore, type Bm25Parameters } from '../scoring/bm25.ts';
import type { Partition } from './partition.ts';
import { frequencyIn, locate, queryTerms } from './search-partition.ts';

/** What one term of the query contributes to a chunk. The contributions of all terms add up exactly to the score of the hit. */
export type TermContribution = Readonly<{
  term: string;
  score: number;
  /** How often the term occurs in the chunk, and in how many chunks of the partition it occurs. */
  frequency: number;
  documentFrequency: number;
  /** The number of tokens in the chunk, and in the average chunk (rounded for scoring). */
  length: number;
  averageLength: number;
}>;

/** One entry for each term in the chunk, in the order of the query; empty when the chunk does not exist. */
export const explainTerms = (
  partition: Partition,
  text: string,
  chunkId: ChunkId,
  parameters: Bm25Parameters,
): readonly TermContribution[] => {
  const place = locate(partition, chunkId);
  if (place === undefined) return [];
  const length = place.live.segment.lengths[place.chunk] as number;
  const averageLength = roundedAverage(partition.totalLength, partition.count);
  const norm = lengthNorm({ ...parameters, average: averageLength }, length);
  return queryTerms(partition, text).flatMap(({ term, number, documentFrequency, weight }) => {
    const frequency = frequencyIn(place.live, place.chunk, number);
    if (frequency === 0) return [];
    return [{ term, score: toScore(weight * impactOf(frequency, norm)), frequency, documentFrequency, length, averageLength }];
  });
};
