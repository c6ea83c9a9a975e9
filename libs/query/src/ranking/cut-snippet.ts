import { termMatches, type TermMatch } from './term-matches.ts';

/**
 * `text` has an ellipsis where something was left out. `highlights` are UTF-16 offsets into it, end exclusive, ascending.
 * `start` and `end` are the offsets of the snippet in the source.
 */
export type Snippet = Readonly<{
  text: string;
  highlights: readonly (readonly [start: number, end: number])[];
  start: number;
  end: number;
}>;

const ELLIPSIS = '…';
/** Maximum number of UTF-16 units that an edge of the snippet moves to reach a word boundary. */
const WORD_REACH = 40;

const cutsPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
const isBlankAt = (text: string, at: number): boolean => /\s/.test(text.charAt(at));

/** The window with the most different terms, from its first to its last match; ties go to more matches, then to the first window. */
const densest = (matches: readonly TermMatch[], room: number): readonly [start: number, end: number] => {
  const counts = new Map<string, number>();
  let best = { start: 0, end: 0, terms: 0, matches: 0 };
  let last = 0;
  matches.forEach(({ start, term }, first) => {
    for (let match = matches[last]; match !== undefined && (last === first || match.end - start <= room); match = matches[++last])
      counts.set(match.term, (counts.get(match.term) ?? 0) + 1);
    const held = last - first;
    if (counts.size > best.terms || (counts.size === best.terms && held > best.matches))
      best = { start, end: matches[last - 1]?.end ?? start, terms: counts.size, matches: held };
    const left = (counts.get(term) ?? 0) - 1;
    if (left > 0) counts.set(term, left);
    else counts.delete(term);
  });
  return [best.start, best.end];
};

/** The start of a word at or after `at`, if one is near; never after `limit`. */
const wordStart = (text: string, at: number, limit: number): number => {
  for (let start = at; start <= Math.min(limit, at + WORD_REACH); start++)
    if (start === 0 || (isBlankAt(text, start - 1) && !isBlankAt(text, start))) return start;
  return cutsPair(text, at) ? at + 1 : at;
};

/** The end of a word at or before `at`, if one is near; never before `limit`. */
const wordEnd = (text: string, at: number, limit: number): number => {
  for (let end = at; end >= Math.max(limit, at - WORD_REACH, 1); end--)
    if (end === text.length || (isBlankAt(text, end) && !isBlankAt(text, end - 1))) return end;
  return cutsPair(text, at) ? at - 1 : at;
};

/**
 * Returns the part of a text with the most terms, at most `maxChars` UTF-16 units including ellipses; without a match the beginning.
 * It starts and ends between words where possible, and never within a surrogate pair. Terms match regardless of case, accents and
 * common endings; they can be words of the query or the stems in a `LexicalHit`.
 */
export const cutSnippet = (text: string, terms: Iterable<string>, maxChars: number): Snippet => {
  const matches = termMatches(text, terms);
  if (text.length <= maxChars) return snippetOf(text, 0, text.length, matches);
  const room = Math.max(1, maxChars - 2 * ELLIPSIS.length);
  const [firstMatch, lastMatch] = densest(matches, room);
  const margin = Math.max(0, Math.floor((room - (lastMatch - firstMatch)) / 2));
  const roughStart = Math.max(0, Math.min(firstMatch - margin, text.length - room));
  const start = wordStart(text, roughStart, Math.max(firstMatch, roughStart));
  const roughEnd = Math.min(text.length, roughStart + room);
  const end = wordEnd(text, roughEnd, Math.max(start + 1, Math.min(lastMatch, roughEnd)));
  return snippetOf(text, start, Math.max(start, end), matches);
};

const snippetOf = (text: string, start: number, end: number, matches: readonly TermMatch[]): Snippet => {
  const before = start > 0 ? ELLIPSIS : '';
  const after = end < text.length ? ELLIPSIS : '';
  const shift = before.length - start;
  const highlights = matches
    .filter((match) => match.start >= start && match.end <= end)
    .map((match) => [match.start + shift, match.end + shift] as const);
  return { text: before + text.slice(start, end) + after, highlights, start, end };
};
