import { createRequire } from 'node:module';

/** Stop words by ISO 639-1 code; the package contains data without types. */
const STOP_WORDS = createRequire(import.meta.url)('stopwords-iso') as Readonly<Record<string, readonly string[]>>;

/** Languages in Latin script for which a stemmer exists. For others the script or trigrams are more reliable. */
const CANDIDATES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'sv', 'da', 'no', 'fi', 'ro', 'hu', 'tr'];
const MIN_WORDS = 4;
const SHARE = 0.3;
const LEAD = 1.4;

let sets: readonly (readonly [language: string, words: ReadonlySet<string>])[] | undefined;

/**
 * The language with the most stop words in a short text, or undefined if it has no clear lead. Trigrams are unreliable on a few
 * lines; stop words such as "is", "the" and "of" are not.
 */
export const languageByStopWords = (text: string): string | undefined => {
  const words = text.toLowerCase().match(/[\p{Script=Latin}\p{M}]+/gu) ?? [];
  sets ??= CANDIDATES.map((language) => [language, new Set(STOP_WORDS[language])] as const);
  const [best, second] = sets
    .map(([language, stop]) => ({ language, hits: words.filter((word) => word.length > 1 && stop.has(word)).length }))
    .sort((a, b) => b.hits - a.hits);
  if (!best || best.hits < MIN_WORDS || best.hits < words.length * SHARE || best.hits < (second?.hits ?? 0) * LEAD) return undefined;
  return best.language === 'no' ? 'nb' : best.language;
};
