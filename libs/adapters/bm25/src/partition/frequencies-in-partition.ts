import type { WordTerms } from '@palimpsest/contracts';
import type { WordFrequency } from '@palimpsest/knowledge/selections';
import type { Partition } from './partition.ts';
import { documentFrequencyOf } from './search-partition.ts';

/** In how many live chunks each word occurs, by its terms. */
export const frequenciesIn = (partition: Partition, words: WordTerms): readonly WordFrequency[] =>
  words.map((terms) => terms && Math.max(0, ...terms.map((term) => documentFrequency(partition, term))));

const documentFrequency = (partition: Partition, term: string): number => {
  const number = partition.dictionary.find(term);
  return number < 0 ? 0 : documentFrequencyOf(partition, number);
};
