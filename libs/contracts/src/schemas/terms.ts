import { z } from 'zod';
import { REQUEST_LIMITS } from '../http/request-limits.ts';

const { entries, characters } = REQUEST_LIMITS.terms;
const texts = z.array(z.string().min(1).max(characters)).max(entries);

/** Words that the results of a search must and must not contain. */
export const terms = z
  .strictObject({
    required: texts.exactOptional().describe('each result has all words of each of them, in any form of the word'),
    excluded: texts.exactOptional().describe('no result has all words of one of them'),
    phrases: texts
      .exactOptional()
      .describe('each result has the words of each of them next to each other, as they are written but for case and accents'),
  })
  .describe(
    'limits the results of both searches, by the words of passages and their headings. Stop words are no condition, except in phrases; the response names them in `ignoredTerms`',
  );
