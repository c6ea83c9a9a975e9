import type { LexicalSearch } from '@palimpsest/knowledge/read-models';
import type { WordFrequency } from '@palimpsest/knowledge/selections';
import { placedWords } from '@palimpsest/knowledge/texts';
import { neighboursOf, spelledWords, withCorrections, type SpelledWord } from '../ranking/spelling.ts';
import type { Correction, SearchStart, Spelled, Targeted } from './search-state.ts';
import type { Stage } from './stage.ts';

type Needs = Pick<SearchStart, 'access' | 'request'> &
  Pick<Targeted, 'wanted'> &
  Readonly<{ view: Readonly<{ lexical: Pick<LexicalSearch, 'frequencies'> }> }>;

/** `othersTurn`: lets others use the event loop. */
type Asking = Needs & Readonly<{ othersTurn: () => Promise<void> }>;

/** Different words of a query that are looked up. */
const MAX_WORDS = 32;
/** Words of a query that are corrected. */
const MAX_CORRECTIONS = 4;
/**
 * Other words that are looked up for them: those of two words of eight Latin letters, or one of 17. Each must be stemmed in each language of
 * the scope, which takes some 20 to 100 µs.
 */
const MAX_NEIGHBOURS = 1_000;
/** Partitions that are asked at a time, before others get their turn. */
const ASKED_TOGETHER = 8;

/**
 * Words that no searched scope knows, and that one mistake separates from a word that one knows. They are searched as that word: as they
 * are, they would find nothing. Never with a key that is limited to documents with certain labels: the words of other documents would
 * show in the corrections. Its count is the number of corrections.
 */
export const correctSpelling: Stage<Needs, Spelled> = {
  name: 'spelling',
  unless: {
    holds: ({ access, request: { spelling, strategy }, wanted }) =>
      spelling === false || strategy === 'DenseOnly' || access.requiredLabels !== undefined || wanted.searchable.length === 0,
    add: () => ({ corrections: [] }),
  },
  run: async (request, { othersTurn }) => {
    const state = { ...request, othersTurn };
    const { query } = state.request;
    const words = spelledWords(query);
    const corrections: Correction[] = [];
    let left = MAX_NEIGHBOURS;
    for (const { word, letters } of await misspelt(state, words)) {
      const candidates = neighboursOf(letters);
      if (candidates.length > left) continue;
      left -= candidates.length;
      const best = mostFrequent(candidates, await frequenciesOf(state, candidates));
      if (best !== undefined) corrections.push({ from: word, ...best });
    }
    if (corrections.length === 0) return { corrections };
    const others = new Map(corrections.map(({ from, to }) => [from.toLowerCase(), to]));
    return { corrections, corrected: withCorrections(query, words, others) };
  },
  count: ({ corrections }) => corrections.length,
};

/** None in a query most of whose words are unknown: it is in another language. Of one or two words, all may be misspelt. */
const misspelt = async (state: Asking, words: readonly SpelledWord[]): Promise<readonly SpelledWord[]> => {
  const distinct = [...new Map(words.map((word) => [word.letters, word])).values()].slice(0, MAX_WORDS);
  if (!distinct.some(({ correctable }) => correctable)) return [];
  const frequencies = await frequenciesOf(
    state,
    distinct.map(({ word }) => word),
  );
  const unknown = distinct.filter((_, i) => frequencies[i] === 0);
  if (unknown.length > 2 && unknown.length * 2 > distinct.length) return [];
  const named = namedWords(state);
  return unknown.filter(({ letters, correctable }) => correctable && !named.has(letters)).slice(0, MAX_CORRECTIONS);
};

/** Words that are meant as they are: those of terms and of synonyms. */
const namedWords = ({ request: { terms = {} }, wanted: { searchable } }: Needs): ReadonlySet<string> => {
  const texts = [...Object.values(terms).flat(), ...searchable.flatMap(({ synonyms = [] }) => synonyms)];
  return new Set(texts.flatMap((text) => placedWords(text.normalize('NFKC')).map(({ form }) => form)));
};

/** In all searched scopes. Undefined if the word is left out of one of the indexes. */
const frequenciesOf = async (
  { view: { lexical }, wanted, othersTurn }: Asking,
  words: readonly string[],
): Promise<readonly WordFrequency[]> => {
  const each: (readonly WordFrequency[])[] = [];
  for (let at = 0; at < wanted.searchable.length; at += ASKED_TOGETHER) {
    const some = wanted.searchable.slice(at, at + ASKED_TOGETHER);
    each.push(...(await Promise.all(some.map(({ partition }) => lexical.frequencies(partition, words, wanted.language)))));
    await othersTurn();
  }
  return words.map((_, i) => each.reduce<WordFrequency>((sum, of) => plus(sum, of[i]), 0));
};

const plus = (a: WordFrequency, b: WordFrequency): WordFrequency => (a === undefined || b === undefined ? undefined : a + b);

/** The first one of those that are equally frequent. */
const mostFrequent = (words: readonly string[], frequencies: readonly WordFrequency[]): Omit<Correction, 'from'> | undefined => {
  let best: Omit<Correction, 'from'> | undefined;
  for (const [i, to] of words.entries()) {
    const chunks = frequencies[i] ?? 0;
    if (chunks > (best?.chunks ?? 0)) best = { to, chunks };
  }
  return best;
};
