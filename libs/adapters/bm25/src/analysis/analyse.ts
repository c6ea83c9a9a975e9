import { FIELD_WEIGHTS, type WeightedText } from '@palimpsest/knowledge/texts';
import { foldFor } from './fold.ts';
import { partStemmerFor, stemmerFor } from './stemmers.ts';
import { stopWordsOf } from './stop-words.ts';
import { tokenise } from './tokenise.ts';

/**
 * Stored with every index: an index from another analyser version is rebuilt, because its terms would not match the terms of a query.
 * Includes the weights of fields, and the versions of the engine's Unicode tables, which define letters, and of its word lists (ICU).
 */
export const BM25_ANALYSER_VERSION = `4+fields${Object.values(FIELD_WEIGHTS).join('.')}+unicode${process.versions['unicode'] ?? ''}+icu${process.versions['icu'] ?? ''}`;

/** How often each term occurs, and the total number of tokens, both weighted. Neither is limited, even for a text of millions of words. */
export type AnalysedText = Readonly<{ terms: ReadonlyMap<string, number>; length: number }>;

/** Returns `en` for `en-GB`. Returns `und` (no stemmer, no stop words) for anything that is not a language code. */
export const primaryLanguage = (language: string): string => /^[a-z]{2,3}(?=$|[-_])/.exec(language.toLowerCase())?.[0] ?? 'und';

/**
 * Returns the terms of a text in one language: folded and stemmed tokens without stop words, and those of the parts of compounds.
 * @param stopWords words (lower case, folded) to remove instead of the stop words of the language
 */
export const analyse = (text: string, language: string, stopWords: ReadonlySet<string> = stopWordsOf(language)): AnalysedText =>
  analyseWeighted([{ text, weight: 1 }], language, stopWords);

/** The distinct terms of a text. */
export const termsOf = (text: string, language: string): readonly string[] => [...analyse(text, language).terms.keys()];

/** The terms of several texts: each counts as often as its weight says. */
export const analyseWeighted = (
  texts: readonly WeightedText[],
  language: string,
  stopWords: ReadonlySet<string> = stopWordsOf(language),
): AnalysedText => {
  const stem = stemmerFor(language);
  const partsOf = partStemmerFor(language);
  const fold = foldFor(language);
  const terms = new Map<string, number>();
  let length = 0;
  for (const { text, weight } of texts) {
    const count = (term: string): void => {
      terms.set(term, (terms.get(term) ?? 0) + weight);
      length += weight;
    };
    tokenise(
      text,
      (kind, token) => {
        const word = kind === 'word' ? fold(token) : token;
        if (kind === 'word' && stopWords.has(word)) return;
        count(kind === 'word' ? stem(word) : word);
        if (kind === 'word' && partsOf !== undefined) for (const part of partsOf(word)) count(part);
      },
      language,
    );
  }
  return { terms, length };
};
