import { folded, wordMatcher } from './same-word.ts';

/** `term` is the folded query term that the text between the UTF-16 offsets stands for. */
export type TermMatch = Readonly<{ start: number; end: number; term: string }>;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** `getUserName` holds the words get, User and Name. */
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{N}+|\p{Lo}+/gu;
/** Words that are one part for sure: nearly all of them. */
const WHOLE = /^[A-Z]?[a-z]+$/;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Scripts that put no blanks between words: the term is looked for as it stands. */
function* unspacedMatches(text: string, terms: readonly string[]): Generator<TermMatch> {
  for (const term of terms)
    for (let start = text.indexOf(term); start >= 0; start = text.indexOf(term, start + term.length))
      yield { start, end: start + term.length, term };
}

/** Where words of the text match terms, ignoring case, accents and common endings; ascending, not overlapping. Linear. */
export const termMatches = (text: string, terms: Iterable<string>): readonly TermMatch[] => {
  const all = [...new Set(terms)].filter((term) => term.trim() !== '');
  const unspaced = all.filter((term) => UNSPACED.test(term));
  const formOf = wordMatcher(all.filter((term) => !UNSPACED.test(term)));
  const matches = [...unspacedMatches(text, unspaced)];
  for (const { 0: word, index } of text.matchAll(WORD)) {
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
