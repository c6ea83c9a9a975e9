import type { TokenCounter } from '@palimpsest/knowledge';

/** Measures text in some unit. `advance` and `back` may be off by a little; `size` is exact and has the last word. */
export interface Ruler {
  /** The offset about `size` units after `offset`, at most the text's length. */
  advance(offset: number, size: number): number;
  /** The offset about `size` units before `offset`, at least 0. */
  back(offset: number, size: number): number;
  size(start: number, end: number): number;
  /** UTF-16 units that one unit comes to at most, by `advance` and `back`. */
  readonly longest: number;
}

export const characterRuler = (text: string): Ruler => ({
  advance: (offset, size) => Math.min(text.length, offset + size),
  back: (offset, size) => Math.max(0, offset - size),
  size: (start, end) => end - start,
  longest: 1,
});

/**
 * UTF-16 units. A token of a real tokenizer is 4 on average; only text like a long row of dashes comes to more than 16, and
 * there more tokens are charged, so that a chunk stays bounded in characters too.
 */
export const LONGEST_TOKEN = 16;

/** The index of the first number that is at least `wanted`. */
const firstAtLeast = (ascending: readonly number[], wanted: number): number => {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
};

/**
 * Tokens of the text as a whole give the estimates, found as far as they are asked about; a span is counted anew, because cutting can change its first
 * and last token.
 */
export const tokenRuler = (text: string, tokens: TokenCounter): Ruler => {
  const starts: number[] = [];
  const others = tokens.tokenStarts(text)[Symbol.iterator]();
  let isRead = false;
  const readUntil = (isEnough: () => boolean): void => {
    while (!isRead && !isEnough()) {
      const { value, done } = others.next();
      if (done === true) isRead = true;
      else starts.push(value);
    }
  };
  /** The index of the first token that starts at `offset` or behind it. */
  const tokenAt = (offset: number): number => {
    readUntil(() => (starts.at(-1) ?? -1) >= offset);
    return firstAtLeast(starts, offset);
  };
  return {
    advance: (offset, size) => {
      const token = tokenAt(offset) + size;
      readUntil(() => starts.length > token);
      return Math.min(starts[token] ?? text.length, offset + size * LONGEST_TOKEN);
    },
    back: (offset, size) => Math.max(starts[Math.max(0, tokenAt(offset) - size)] ?? 0, offset - size * LONGEST_TOKEN),
    size: (start, end) => Math.max(tokens.count(text.slice(start, end)), Math.ceil((end - start) / LONGEST_TOKEN)),
    longest: LONGEST_TOKEN,
  };
};
