import type { ChunkId } from '@palimpsest/knowledge';
import { impactOf, lengthNorm, roundedAverage, toScore, type Bm25Parameters } from '../scoring/bm25.ts';
import type { Partition } from './partition.ts';
import { frequencyIn, locate, queryTerms } from './search-partition.ts';

/** What one term of the query brings to a chunk. The scores of all terms of a chunk add up to that of the hit, exactly. */
export type TermContribution = Readonly<{
  term: string;
  score: number;
  /** How often the chunk says it, and how many chunks of the partition do. */
  frequency: number;
  documentFrequency: number;
  /** Tokens of the chunk, and of the average chunk as rounded for scoring. */
  length: number;
  averageLength: number;
}>;

/** Per term that the chunk holds, in the order of the query; none for a chunk that is not there. */
export const explainTerms = (partition: Partition, text: string, chunkId: ChunkId, parameters: Bm25Parameters): readonly TermContribution[] => {
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
