import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TextWindow } from '@palimpsest/knowledge';

import type { ModelDescription } from './model-description.ts';
import type { ModelFolder } from './model-folder.ts';
import { openTokenizer } from './tokenizer.ts';

/** UTF-16 units; a longer run without blanks is counted in pieces, since no tokenizer promises to be linear. */
const LONGEST_WORD = 64;
/** Words whose tokens are remembered; text repeats its words, so nearly all of them are found. */
const REMEMBERED_WORDS = 50_000;

/**
 * What the model reads of a passage. A tokenizer of the BERT family splits at blanks first, so a text has as many tokens as its
 * words together; where another one joins a token over a blank, the count is a token off, and the model says `truncated`.
 */
export const passageWindow = (tokenizerJson: object, model: ModelDescription): TextWindow => {
  const { tokenizer, head, tail } = openTokenizer(tokenizerJson);
  const known = new Map<string, number>();

  const ofWord = (word: string): number => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const tokens = tokenizer.encode(model.lowercase ? word.toLowerCase() : word, { add_special_tokens: false }).ids.length;
    if (known.size >= REMEMBERED_WORDS) known.clear();
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

/** Reads the tokenizer alone. */
export const readPassageWindow = async ({ folder, description }: ModelFolder): Promise<TextWindow> =>
  passageWindow(JSON.parse(await readFile(join(folder, 'tokenizer.json'), 'utf8')) as object, description);
