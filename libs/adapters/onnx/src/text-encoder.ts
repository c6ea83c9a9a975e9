import type { EmbeddingKind } from '@palimpsest/knowledge/ports';

import type { ModelDescription } from './model-description.ts';
import { openTokenizer, type TokenSplitter } from './tokenizer.ts';

export type EncodedText = Readonly<{ ids: readonly number[]; truncated: boolean }>;

/**
 * No natural text comes near 64 characters per token. Without this limit, many megabytes of text would be tokenized for seconds
 * and then discarded.
 */
const MAX_CHARS_PER_TOKEN = 64;
const SPECIAL_TOKENS = 2;
/** The library fails for words of more than about 100,000 characters, and models with large windows read that many. */
const PIECE_CHARS = 16_384;

/**
 * Converts texts to token ids that fit the model. The tokenizer library ignores the truncation in `tokenizer.json`, so it is done
 * here: the text's own tokens are truncated, and the special ones around them (`[CLS]`, `[SEP]`) are kept.
 *
 * @param tokenizerJson the parsed `tokenizer.json`
 */
export const textEncoder = (tokenizerJson: object, model: ModelDescription): ((text: string, kind: EmbeddingKind) => EncodedText) => {
  const { tokenizer, head, tail } = openTokenizer(tokenizerJson);
  const room = model.maxTokens - head.length - tail.length;

  return (text, kind) => {
    const prefixed = (kind === 'query' ? model.queryPrefix : model.passagePrefix) + text;
    const { ids, truncated } = firstTokens(tokenizer, prefixed, { most: room, lowercase: model.lowercase });
    return { ids: [...head, ...ids.slice(0, room), ...tail], truncated: ids.length > room || truncated };
  };
};

/** The first tokens of a text, without special ones: `most` of them and possibly more. `truncated`: the rest of the text was not looked at. */
export const firstTokens = (
  tokenizer: TokenSplitter,
  text: string,
  { most, lowercase }: Readonly<{ most: number; lowercase: boolean }>,
): EncodedText => {
  const readable = firstCharacters(text, (most + SPECIAL_TOKENS) * MAX_CHARS_PER_TOKEN);
  const ids: number[] = [];
  for (let rest = lowercase ? readable.toLowerCase() : readable; rest !== '' && ids.length <= most;) {
    const piece = firstPiece(rest);
    ids.push(...tokenizer.encode(piece, { add_special_tokens: false }).ids);
    rest = rest.slice(piece.length);
  }
  return { ids, truncated: readable.length < text.length };
};

/** Ends before a blank where there is one. */
const firstPiece = (text: string): string => {
  if (text.length <= PIECE_CHARS) return text;
  const blank = text.lastIndexOf(' ', PIECE_CHARS);
  return blank > 0 ? text.slice(0, blank) : firstCharacters(text, PIECE_CHARS);
};

/** Never ends inside a surrogate pair. */
const firstCharacters = (text: string, max: number): string => {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
};
