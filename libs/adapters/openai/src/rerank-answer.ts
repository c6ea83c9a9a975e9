import { Unavailable } from '@palimpsest/knowledge/errors';
import { fieldsOf } from './fields-of.ts';

/**
 * Parses a response of the form `{ results: [{ index, relevance_score }] }`, in any order, without trusting it.
 * @throws Unavailable if it is not one finite score for each of `count` documents
 */
export const rerankAnswer = (answer: unknown, count: number): readonly number[] => {
  const { results } = fieldsOf(answer);
  if (!Array.isArray(results)) throw unusable('no results');
  if (results.length !== count) throw unusable(`${results.length} results for ${count} passages`);
  const scores = new Map<number, number>();
  for (const result of results as readonly unknown[]) {
    const { index, relevance_score: score } = fieldsOf(result);
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count)
      throw unusable('a result for a passage that it was not given');
    if (scores.has(index)) throw unusable('two results for one passage');
    if (typeof score !== 'number' || !Number.isFinite(score)) throw unusable('a score that is not a number');
    scores.set(index, score);
  }
  return Array.from({ length: count }, (_, index) => scores.get(index) ?? 0);
};

const unusable = (what: string): Unavailable => new Unavailable(`the rerank endpoint returned ${what}`, { forCallers: true });
