import type { EmbeddingKind } from '@palimpsest/knowledge/ports';

import type { ModelDescription } from './model-description.ts';
import { openTokenizer } from './tokenizer.ts';

export type EncodedText = Readonly<{ ids: readonly number[]; truncated: boolean }>;

/**
 * No natural text comes near 64 characters per token. Without this limit, many megabytes of text would be tokenized for seconds
 * and then discarded.
 */
const MAX_CHARS_PER_TOKEN = 64;

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
    const readable = firstCharacters(prefixed, model.maxTokens * MAX_CHARS_PER_TOKEN);
    const { ids } = tokenizer.encode(model.lowercase ? readable.toLowerCase() : readable, { add_special_tokens: false });
    return {
      ids: [...head, ...ids.slice(0, room), ...tail],
      truncated: ids.length > room || readable.length < prefixed.length,
    };
  };
};

/** Never ends inside a surrogate pair. */
const firstCharacters = (text: string, max: number): string => {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
};
