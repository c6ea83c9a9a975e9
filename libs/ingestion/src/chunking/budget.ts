import { atOnce, LONGEST_TOKEN, TextTokens } from '@palimpsest/contracts';
import type { TextWindow } from '@palimpsest/knowledge';
import { characterRuler, type Ruler } from './ruler.ts';

/** How large a chunk may be, and in which unit that is measured. */
export interface Budget {
  /** Unit and size, for the ChunkingVersion. */
  readonly name: string;
  /** A ruler for this text, after a pause now and then. */
  measure(text: string): Generator<undefined, Ruler>;
  /** What is left for a chunk's text under its context prefix. */
  room(contextPrefix: string): number;
}

/** A limit of UTF-16 units that an owner chose; the prefix does not count. */
export const characters = (max: number): Budget => ({
  name: String(max),
  *measure(text) {
    return characterRuler(text);
  },
  room: () => max,
});

/** A limit of the model's tokens that an owner chose; the prefix does not count. */
export const tokensOf = (window: TextWindow, max: number): Budget => ({ name: `${unitName(window)}-${max}`, measure: measuring(window), room: () => max });

/** Even where a model reads more: a vector of a long text says little about each of its sentences. */
const MOST_TOKENS = 400;

/**
 * As much as the model reads at once, the prefix included; a long prefix leaves half of the window to the text. `windows`: as much
 * as it reads in so many times, for a document that would be cut into too many chunks.
 */
export const windowOf = (window: TextWindow, windows = 1): Budget => {
  const most = Math.min(MOST_TOKENS, window.tokens);
  return {
    name: `${unitName(window)}-window-${window.tokens}${windows === 1 ? '' : `-${windows}`}`,
    measure: measuring(window),
    room: (prefix) => windows * Math.max(1, Math.min(most, Math.max(Math.ceil(window.tokens / 2), window.tokens - prefixTokens(prefix, window)))),
  };
};

const prefixTokens = (prefix: string, window: TextWindow): number => atOnce(TextTokens.of(prefix, window)).size(0, prefix.length);

const measuring = (window: TextWindow): Budget['measure'] =>
  function* (text) {
    const tokens = yield* TextTokens.of(text, window);
    return {
      advance: (offset, size) => tokens.advance(offset, size),
      back: (offset, size) => tokens.back(offset, size),
      size: (start, end) => tokens.size(start, end),
      longest: LONGEST_TOKEN,
    };
  };

/** As a version can carry it. */
const unitName = ({ tokenizer }: TextWindow): string => tokenizer.toLowerCase().replace(/[^0-9a-z.]+/g, '-');
