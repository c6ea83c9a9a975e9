import { lettersOf } from '@palimpsest/knowledge/texts';
import { foldFor } from './fold.ts';
import { stopWordsOf } from './stop-words.ts';
import { tokenise } from './tokenise.ts';

/**
 * Chooses the language of a query from `languages`, which are ordered by number of chunks. Chooses the language whose script has most of
 * the letters; then the one with the most stop words in the query; then the first one. Returns `und` when no language is known. The
 * result depends only on the query and the list.
 */
export const queryLanguage = (text: string, languages: readonly string[]): string => {
  const known = languages.filter((language) => language !== 'und');
  if (known.length <= 1) return known[0] ?? 'und';
  const written = bestBy(known, (language) => (text.match(lettersOf(language)) ?? []).length);
  const words: string[] = [];
  tokenise(text, (kind, word) => kind === 'word' && words.push(word));
  return bestBy(written, (language) => words.map(foldFor(language)).filter((word) => stopWordsOf(language).has(word)).length)[0] as string;
};

/** Returns the languages with the highest value, in their order. */
const bestBy = (languages: readonly string[], value: (language: string) => number): readonly string[] => {
  const values = languages.map(value);
  const max = Math.max(...values);
  return languages.filter((_, i) => values[i] === max);
};
