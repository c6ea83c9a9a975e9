import { readingLanguages } from '@palimpsest/knowledge/read-models';
import { termsOfWord, type WordFrequency } from '@palimpsest/knowledge/selections';
import { termsOf } from '../analysis/analyse.ts';
import type { Partition } from './partition.ts';
import { documentFrequencyOf } from './search-partition.ts';

/** In how many live chunks each word occurs. */
export const frequenciesIn = (partition: Partition, words: readonly string[], named: string | undefined): readonly WordFrequency[] => {
  const languages = readingLanguages(partition.languages(), named);
  return words.map((word) => {
    const terms = termsOfWord(word, languages, termsOf);
    return terms && Math.max(0, ...terms.map((term) => documentFrequency(partition, term)));
  });
};

const documentFrequency = (partition: Partition, term: string): number => {
  const number = partition.dictionary.find(term);
  return number < 0 ? 0 : documentFrequencyOf(partition, number);
};
