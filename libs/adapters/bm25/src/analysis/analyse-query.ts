import { analyse } from './analyse.ts';
import { foldFor } from './fold.ts';
import { stopWordsOf } from './stop-words.ts';
import { tokenise } from './tokenise.ts';

/** Further occurrences of a term in a query do not raise its weight; keeps integer scores within 31 bits. */
const MAX_QUERY_FREQUENCY = 3;

/**
 * Returns the terms of a query for a partition with chunks in `languages`. The order of the languages does not matter.
 *
 * The language of a query is unknown, so it is analysed once per language present, and the terms are united. Each chunk is then matched
 * by the same analysis that produced its terms. Names and numbers are the same in every language and stay one term with one document
 * frequency. A stop word of the query's language may be a rare word in another one (German "die", English "die"). Therefore the language
 * whose stop words occur most often in the query counts as its language, and these stop words are removed from every analysis.
 * "how cells die" keeps its verb; "die Zelle ist klein" does not match English texts about death.
 * Measured on xquad-en + xquad-de in one partition, nDCG@10: plain union .904 / .912, language-tagged stems .904 / .918,
 * this approach .956 / .926, known language .962 / .931.
 */
export const analyseQuery = (text: string, languages: readonly string[]): ReadonlyMap<string, number> => {
  const present = [...languages].sort();
  const removed = present.length > 1 ? stopWordsOfTheQuery(text, present) : NO_WORDS;
  const terms = unite(text, present, removed);
  // For a query of only such words ("die"), results from the other languages are better than none.
  return terms.size === 0 && removed.size > 0 ? unite(text, present, NO_WORDS) : terms;
};

const NO_WORDS: ReadonlySet<string> = new Set();

const unite = (text: string, languages: readonly string[], removed: ReadonlySet<string>): ReadonlyMap<string, number> => {
  const united = new Map<string, number>();
  for (const language of languages) {
    const own = stopWordsOf(language);
    const { terms } = analyse(text, language, removed.size === 0 ? own : new Set([...own, ...removed]));
    for (const [term, frequency] of terms) united.set(term, Math.max(united.get(term) ?? 0, Math.min(frequency, MAX_QUERY_FREQUENCY)));
  }
  return united;
};

/** The stop words in the query, in the language that has the most of them. If several languages tie, only the words they share. */
const stopWordsOfTheQuery = (text: string, languages: readonly string[]): ReadonlySet<string> => {
  const words: string[] = [];
  tokenise(text, (kind, word) => kind === 'word' && words.push(word));
  const found = languages.map((language) => words.map(foldFor(language)).filter((word) => stopWordsOf(language).has(word)));
  const max = Math.max(...found.map((stops) => stops.length));
  const leading = found.filter((stops) => stops.length === max);
  return new Set(leading[0]?.filter((word) => leading.every((stops) => stops.includes(word))));
};
