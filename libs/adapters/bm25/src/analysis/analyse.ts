import { foldFor } from './fold.ts';
import { stemmerFor } from './stemmers.ts';
import { stopWordsOf } from './stop-words.ts';
import { tokenise } from './tokenise.ts';

/**
 * Stored with every index: an index that another analyser wrote is rebuilt, since its terms would not meet those of a query.
 * Carries the Unicode version of the engine, whose tables say what a letter is.
 */
export const BM25_ANALYSER_VERSION = `2+unicode${process.versions['unicode'] ?? ''}`;

/** How often each term occurs, and how many tokens there are in all: any number, also of a text of millions of words. */
export type AnalysedText = Readonly<{ terms: ReadonlyMap<string, number>; length: number }>;

/** `en` of `en-GB`; anything that is no language code is `und`: no stemmer, no stop words. */
export const primaryLanguage = (language: string): string => /^[a-z]{2,3}(?=$|[-_])/.exec(language.toLowerCase())?.[0] ?? 'und';

/**
 * The terms of a text in one language: tokens in one spelling, without the stop words, stemmed.
 * @param stopWords words (lower case, folded) to leave out instead of those of the language
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
