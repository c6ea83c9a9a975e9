import { Unavailable } from '@palimpsest/knowledge/errors';
import { fieldsOf, jsonAnswer } from './json-answer.ts';

/** The best score of a passage; 0 is the worst. */
export const BEST_SCORE = 10;

/**
 * Parses an answer of the form `{ "scores": [{ "passage": 1, "score": 7 }] }`, in any order, without trusting it.
 * @throws Unavailable if it is not one score for each of `count` passages
 */
export const chatScores = (answer: string, count: number): readonly number[] => {
  const { scores: given } = fieldsOf(jsonAnswer(answer));
  if (!Array.isArray(given)) throw unusable('no scores in JSON');
  if (given.length !== count) throw unusable(`${given.length} scores for ${count} passages`);
  const scores = new Map<number, number>();
  for (const one of given as readonly unknown[]) {
    const { passage, score } = fieldsOf(one);
    if (typeof passage !== 'number' || !Number.isInteger(passage) || passage < 1 || passage > count)
      throw unusable('a score for a passage that it was not given');
    if (scores.has(passage)) throw unusable('two scores for one passage');
    if (typeof score !== 'number' || !(score >= 0 && score <= BEST_SCORE))
      throw unusable(`a score that is no number from 0 to ${BEST_SCORE}`);
    scores.set(passage, score);
  }
  return Array.from({ length: count }, (_, i) => scores.get(i + 1) ?? 0);
};

const unusable = (what: string): Unavailable => new Unavailable(`the chat model returned ${what}`, { forCallers: true });
