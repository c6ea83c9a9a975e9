import { lettersOf } from '@palimpsest/knowledge';
import { foldFor } from './fold.ts';
import { stopWordsOf } from './stop-words.ts';
import { tokenise } from './tokenise.ts';

/**
 * The language to read a query in, of those in `languages` (those of most chunks first): written in the script of most of its
 * letters; of several such, the one with most of its stop words there; of several such, the first. `und` when none is known.
 * Depends on the query and the list alone.
 */
export const queryLanguage = (text: string, languages: readonly string[]): string => {
  const known = languages.filter((language) => language !== 'und');
  if (known.length <= 1) return known[0] ?? 'und';
  const written = bestBy(known, (language) => (text.match(lettersOf(language)) ?? []).length);
  const words: string[] = [];
  tokenise(text, (kind, word) => kind === 'word' && words.push(word));
  return bestBy(written, (language) => words.map(foldFor(language)).filter((word) => stopWordsOf(language).has(word)).length)[0] as string;
};

/** Those with the highest value, in their order. */
const bestBy = (languages: readonly string[], value: (language: string) => number): readonly string[] => {
  const values = languages.map(value);
  const most = Math.max(...values);
  return languages.filter((_, i) => values[i] === most);
};
