import { runToCompletion, LONGEST_TOKEN, TextTokens } from '@palimpsest/foundation';
import type { TextWindow } from '@palimpsest/knowledge/ports';
import { characterRuler, type Ruler } from './ruler.ts';

/** The maximum size of a chunk, and the unit that it is measured in. */
export interface Budget {
  /** Unit and size, as part of the ChunkingVersion. */
  readonly name: string;
  /** Returns a ruler for this text; yields to pause. */
  measure(text: string): Generator<undefined, Ruler>;
  /** The size that remains for a chunk's text after its context prefix. */
  room(contextPrefix: string): number;
}

/** A limit in UTF-16 units that an owner chose; the prefix does not count. */
export const characters = (max: number): Budget => ({
  name: String(max),
  *measure(text) {
    return characterRuler(text);
  },
  room: () => max,
});

/** A limit in tokens of the model that an owner chose; the prefix does not count. */
export const tokensOf = (window: TextWindow, max: number): Budget => ({
  name: `${unitName(window)}-${max}`,
  measure: measuring(window),
  room: () => max,
});

/** Applies even if the model reads more: the vector of a long text says little about each of its sentences. */
const MAX_TOKENS = 400;

/**
 * One window of the model, including the prefix. A long prefix leaves half of the window to the text. `windows`: the number of
 * windows that a chunk may fill, for a document that would otherwise have too many chunks.
 */
export const windowOf = (window: TextWindow, windows = 1): Budget => {
  const max = Math.min(MAX_TOKENS, window.tokens);
  return {
    name: `${unitName(window)}-window-${window.tokens}${windows === 1 ? '' : `-${windows}`}`,
    measure: measuring(window),
    room: (prefix) =>
      windows * Math.max(1, Math.min(max, Math.max(Math.ceil(window.tokens / 2), window.tokens - prefixTokens(prefix, window)))),
  };
};

const prefixTokens = (prefix: string, window: TextWindow): number => runToCompletion(TextTokens.of(prefix, window)).size(0, prefix.length);

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

/** The tokenizer's name in the characters that a version allows. */
const unitName = ({ tokenizer }: TextWindow): string => tokenizer.toLowerCase().replace(/[^0-9a-z.]+/g, '-');
