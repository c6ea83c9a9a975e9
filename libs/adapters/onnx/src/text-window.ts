import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TextWindow } from '@palimpsest/knowledge/ports';

import type { ModelDescription } from './model-description.ts';
import type { ModelFolder } from './model-folder.ts';
import { openTokenizer } from './tokenizer.ts';

/** UTF-16 units. A longer run without blanks is counted in pieces, since tokenizers are not guaranteed to be linear. */
const LONGEST_WORD = 64;
/** Number of words whose token counts are cached. Texts repeat words, so nearly all lookups succeed. */
const CACHED_WORDS = 50_000;

/**
 * The window of the model for passages. A tokenizer of the BERT family splits at blanks first, so the token count of a text is the sum
 * over its words. If another tokenizer has tokens across blanks, the count may be slightly wrong, and the model reports `truncated`.
 */
const passageWindow = (tokenizerJson: object, model: ModelDescription): TextWindow => {
  const { tokenizer, head, tail } = openTokenizer(tokenizerJson);
  const known = new Map<string, number>();

  const ofWord = (word: string): number => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const tokens = tokenizer.encode(model.lowercase ? word.toLowerCase() : word, { add_special_tokens: false }).ids.length;
    if (known.size >= CACHED_WORDS) known.clear();
    known.set(word, tokens);
    return tokens;
  };
  const count = (text: string): number => {
    let tokens = 0;
    for (const [word] of text.matchAll(/\S+/gu)) {
      if (word.length <= LONGEST_WORD) tokens += ofWord(word);
      else for (let at = 0; at < word.length; at += LONGEST_WORD) tokens += ofWord(word.slice(at, at + LONGEST_WORD));
    }
    return tokens;
  };
  return { tokenizer: model.model, count, tokens: Math.max(1, model.maxTokens - head.length - tail.length - count(model.passagePrefix)) };
};

/** Loads only the tokenizer. */
export const readPassageWindow = async ({ folder, description }: ModelFolder): Promise<TextWindow> =>
  passageWindow(JSON.parse(await readFile(join(folder, 'tokenizer.json'), 'utf8')) as object, description);
