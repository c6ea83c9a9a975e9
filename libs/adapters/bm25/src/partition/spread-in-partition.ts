import { NO_LEXICAL_SPREAD, readingLanguages, type LexicalSpread } from '@palimpsest/knowledge/read-models';
import { analyseQuery } from '../analysis/analyse-query.ts';
import { queryLanguage } from '../analysis/query-language.ts';
import { MAX_IMPACT, roundedAverage, toScore, weightOf, type Bm25Parameters, type Scoring } from '../scoring/bm25.ts';
import type { Partition } from './partition.ts';
import { documentFrequencyOf, queryTerms, type QueryTerm } from './search-partition.ts';

/**
 * Computes the spread from sums over the postings of each term, so that no chunk has to be scored. They are sums of whole numbers over
 * the live chunks, so they do not depend on the segments.
 */
export const spreadIn = (partition: Partition, text: string, named: string | undefined, parameters: Bm25Parameters): LexicalSpread => {
  const { count } = partition;
  if (count === 0) return NO_LEXICAL_SPREAD;
  const scoring = { ...parameters, average: roundedAverage(partition.totalLength, count) };
  const language = queryLanguage(text, readingLanguages(partition.languagesByCount(), named));
  let mean = 0;
  let variance = 0;
  for (const term of queryTerms(partition, text, named)) {
    const { sum, squares } = impactsOf(partition, term, scoring);
    mean += (term.weight * sum) / count;
    variance += term.weight ** 2 * (squares / count - (sum / count) ** 2);
  }
  return {
    count,
    mean: toScore(mean),
    deviation: toScore(Math.sqrt(Math.max(0, variance))),
    ...reach(partition, text, language),
    language,
  };
};

const impactsOf = (partition: Partition, { at }: QueryTerm, scoring: Scoring): Readonly<{ sum: number; squares: number }> => {
  let [sum, squares] = [0, 0];
  for (const [i, live] of partition.segments().entries()) {
    const term = at[i] as number;
    if (term < 0) continue;
    const ofSegment = live.impactSums(term, scoring);
    sum += ofSegment.sum;
    squares += ofSegment.squares;
  }
  return { sum, squares };
};

const reach = (partition: Partition, text: string, language: string): Pick<LexicalSpread, 'attainable' | 'known'> => {
  let [weights, ofKnown] = [0, 0];
  for (const [term, repeated] of analyseQuery(text, [language])) {
    const number = partition.dictionary.find(term);
    const frequency = number < 0 ? 0 : documentFrequencyOf(partition, number);
    const weight = repeated * weightOf(partition.count, frequency);
    weights += weight;
    if (frequency > 0) ofKnown += weight;
  }
  return { attainable: toScore(weights * MAX_IMPACT), known: weights > 0 ? ofKnown / weights : 0 };
};
