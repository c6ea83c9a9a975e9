import { foldFor } from './fold.ts';
import { stemmerFor } from './stemmers.ts';
import { stopWordsOf } from './stop-words.ts';
import { tokenise } from './tokenise.ts';

/**
 * Stored with every index: an index from another analyser version is rebuilt, because its terms would not match the terms of a query.
 * Includes the Unicode version of the engine, whose tables define letters.
 */
export const BM25_ANALYSER_VERSION = `2+unicode${process.versions['unicode'] ?? ''}`;

/** How often each term occurs, and the total number of tokens. Neither is limited, even for a text of millions of words. */
export type AnalysedText = Readonly<{ terms: ReadonlyMap<string, number>; length: number }>;

/** Returns `en` for `en-GB`. Returns `und` (no stemmer, no stop words) for anything that is not a language code. */
export const primaryLanguage = (language: string): string => /^[a-z]{2,3}(?=$|[-_])/.exec(language.toLowerCase())?.[0] ?? 'und';

/**
 * Returns the terms of a text in one language: folded and stemmed tokens without stop words.
 * @param stopWords words (lower case, folded) to remove instead of the stop words of the language
 */
export const analyse = (text: string, language: string, stopWords: ReadonlySet<string> = stopWordsOf(language)): AnalysedText => {
  const stem = stemmerFor(language);
  const fold = foldFor(language);
  const terms = new Map<string, number>();
  let length = 0;
  tokenise(text, (kind, token) => {
    const word = kind === 'word' ? fold(token) : token;
    if (kind === 'word' && stopWords.has(word)) return;
    const term = kind === 'word' ? stem(word) : word;
    terms.set(term, (terms.get(term) ?? 0) + 1);
    length++;
  });
  return { terms, length };
};
