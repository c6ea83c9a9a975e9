import { folded, wordMatcher, type WordMatcher } from './same-word.ts';

/** `term` is the folded query term that the text between the UTF-16 offsets matches. */
export type TermMatch = Readonly<{ start: number; end: number; term: string }>;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** `getUserName` contains the words get, User and Name. */
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{N}+|\p{Lo}+/gu;
/** Words that certainly have a single part: nearly all words. */
const WHOLE = /^[A-Z]?[a-z]+$/;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Extended_Pictographic}]/u;

/** For scripts without spaces between words, and emoji: finds the term literally. */
function* unspacedMatches(text: string, terms: readonly string[]): Generator<TermMatch> {
  for (const term of terms)
    for (let start = text.indexOf(term); start >= 0; start = text.indexOf(term, start + term.length))
      yield { start, end: start + term.length, term };
}

/** Non-ASCII characters that can be part of a word; dashes and quotes cannot. */
const FOREIGN = /[[\p{L}\p{M}\p{N}]--[\x00-\x7f]]/v; // eslint-disable-line no-control-regex -- the range is intended

const ALPHANUMERIC = /^[a-z0-9]+$/;

const isWordAt = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at) | 0x20;
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39 && text.charCodeAt(at) === unit);
};

/** The words of a text, ascending. In a text of ASCII words, as most are, only words that contain the beginning of a form. */
const wordsOf = (text: string, { beginnings }: WordMatcher): Iterable<readonly [start: number, word: string]> => {
  if (FOREIGN.test(text)) return [...text.matchAll(WORD)].map(({ 0: word, index }) => [index, word] as const);
  const lower = text.toLowerCase();
  const ends = new Map<number, number>();
  for (const beginning of beginnings) {
    // `os.path`: no word contains a dot.
    if (!ALPHANUMERIC.test(beginning)) continue;
    for (let at = lower.indexOf(beginning); at >= 0;) {
      let [start, end] = [at, at + beginning.length];
      while (start > 0 && isWordAt(text, start - 1)) start--;
      while (end < text.length && isWordAt(text, end)) end++;
      ends.set(start, end);
      at = lower.indexOf(beginning, end);
    }
  }
  return [...ends].sort(([one], [other]) => one - other).map(([start, end]) => [start, text.slice(start, end)] as const);
};

/** Finds words of the text that match terms, ignoring case, accents and common endings; ascending, not overlapping. Linear. */
export const termMatches = (text: string, terms: Iterable<string>): readonly TermMatch[] => {
  const all = [...new Set(terms)].filter((term) => term.trim() !== '');
  const unspaced = all.filter((term) => UNSPACED.test(term));
  const matcher = wordMatcher(all.filter((term) => !UNSPACED.test(term)));
  const { formOf } = matcher;
  const matches = [...unspacedMatches(text, unspaced)];
  for (const [index, word] of wordsOf(text, matcher)) {
    const term = formOf(folded(word));
    if (term !== undefined) matches.push({ start: index, end: index + word.length, term });
    else if (!WHOLE.test(word))
      for (const { 0: part, index: within } of word.matchAll(PART)) {
        const partTerm = part.length < word.length ? formOf(folded(part)) : undefined;
        if (partTerm !== undefined) matches.push({ start: index + within, end: index + within + part.length, term: partTerm });
      }
  }
  let end = 0;
  return matches
    .sort((one, other) => one.start - other.start || other.end - one.end)
    .filter((match) => {
      const isFree = match.start >= end;
      if (isFree) end = match.end;
      return isFree;
    });
};
