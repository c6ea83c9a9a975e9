import { createRequire } from 'node:module';

/** Words that carry no meaning of their own, by ISO 639-1; the package ships data without types. */
const STOP_WORDS = createRequire(import.meta.url)('stopwords-iso') as Readonly<Record<string, readonly string[]>>;

/** Latin script, and a stemmer to gain: elsewhere the script or the trigrams tell more. */
const CANDIDATES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'sv', 'da', 'no', 'fi', 'ro', 'hu', 'tr'];
const FEWEST = 4;
const SHARE = 0.3;
const LEAD = 1.4;

let sets: readonly (readonly [language: string, words: ReadonlySet<string>])[] | undefined;

/**
 * The language whose small words a short text is full of, or undefined when that does not stand out. Trigrams are undecided about
 * a few lines; "is", "the" and "of" are not.
 */
export const languageByStopWords = (text: string): string | undefined => {
  const words = text.toLowerCase().match(/[\p{Script=Latin}\p{M}]+/gu) ?? [];
  sets ??= CANDIDATES.map((language) => [language, new Set(STOP_WORDS[language])] as const);
  const [best, second] = sets
    .map(([language, stop]) => ({ language, hits: words.filter((word) => word.length > 1 && stop.has(word)).length }))
    .sort((a, b) => b.hits - a.hits);
  if (!best || best.hits < FEWEST || best.hits < words.length * SHARE || best.hits < (second?.hits ?? 0) * LEAD) return undefined;
  return best.language === 'no' ? 'nb' : best.language;
};
