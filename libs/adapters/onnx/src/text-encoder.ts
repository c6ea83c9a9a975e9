import type { EmbeddingKind } from '@palimpsest/knowledge';
import { Tokenizer } from '@huggingface/tokenizers';

import type { ModelDescription } from './model-description.ts';

/** The part of the library that is used; its own declarations do not resolve under `nodenext`. */
interface TokenSplitter {
  encode(text: string, options?: { add_special_tokens: boolean }): { ids: number[] };
}

export type EncodedText = Readonly<{ ids: readonly number[]; truncated: boolean }>;

/**
 * No text of a language comes near 64 characters per token; without a bound, a text of many megabytes would be split
 * into words for seconds, only to be thrown away.
 */
const MAX_CHARS_PER_TOKEN = 64;

/**
 * Texts into token ids that fit the model. The tokenizer library ignores the truncation in `tokenizer.json`, so it is done
 * here: the text's own tokens are cut, and the special ones around them (`[CLS]`, `[SEP]`) stay.
 *
 * @param tokenizerJson the parsed `tokenizer.json`
 */
export const textEncoder = (tokenizerJson: object, model: ModelDescription): ((text: string, kind: EmbeddingKind) => EncodedText) => {
  const tokenizer: TokenSplitter = new Tokenizer(tokenizerJson, {});
  const { head, tail } = specialTokens(tokenizer);
  const room = model.maxTokens - head.length - tail.length;

  return (text, kind) => {
    const prefixed = (kind === 'query' ? model.queryPrefix : model.passagePrefix) + text;
    const readable = firstCharacters(prefixed, model.maxTokens * MAX_CHARS_PER_TOKEN);
    const { ids } = tokenizer.encode(model.lowercase ? readable.toLowerCase() : readable, { add_special_tokens: false });
    return {
      ids: [...head, ...ids.slice(0, room), ...tail],
      truncated: ids.length > room || readable.length < prefixed.length,
    };
  };
};

/** What the tokenizer puts before and after every text, whatever its family. */
const specialTokens = (tokenizer: TokenSplitter): { head: number[]; tail: number[] } => {
  const bare = tokenizer.encode('a', { add_special_tokens: false }).ids;
  const full = tokenizer.encode('a').ids;
  const start = full.findIndex((_, i) => bare.every((id, j) => full[i + j] === id));
  return { head: full.slice(0, start), tail: full.slice(start + bare.length) };
};

/** Never ends inside a surrogate pair. */
const firstCharacters = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
};
