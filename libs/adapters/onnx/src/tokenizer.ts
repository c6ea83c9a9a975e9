import { Tokenizer } from '@huggingface/tokenizers';

import { precompiledCharsmap } from './precompiled-charsmap.ts';

/** The part of the library that is used here; its own declarations do not resolve under `nodenext`. */
export interface TokenSplitter {
  encode(text: string, options?: { add_special_tokens: boolean }): { ids: number[] };
}

/** `head` and `tail`: the special tokens that the tokenizer adds before and after every text. */
export type OpenTokenizer = Readonly<{ tokenizer: TokenSplitter; head: readonly number[]; tail: readonly number[] }>;

/** @param tokenizerJson the parsed `tokenizer.json` */
export const openTokenizer = (tokenizerJson: object): OpenTokenizer => {
  const tokenizer: TokenSplitter & { normalizer?: Normalizer | null } = new Tokenizer(tokenizerJson, {});
  useCharsmaps(tokenizer.normalizer);
  const bare = tokenizer.encode('a', { add_special_tokens: false }).ids;
  const full = tokenizer.encode('a').ids;
  const start = full.findIndex((_, i) => bare.every((id, j) => full[i + j] === id));
  return { tokenizer, head: full.slice(0, start), tail: full.slice(start + bare.length) };
};

/** A step of the library before a text is split, or a sequence of them. */
type Normalizer = { charsmap?: string | null; normalizers?: readonly (Normalizer | null)[]; normalize: (text: string) => string };

/**
 * The library approximates the normalisation of SentencePiece by NFKC and a list of characters. The exact one costs little, and gives the
 * tokens that a multilingual model was trained with also for emoji, combining marks and invisible characters.
 */
const useCharsmaps = (step: Normalizer | null | undefined): void => {
  if (typeof step?.charsmap === 'string') {
    const normalise = precompiledCharsmap(step.charsmap);
    // The next line character separates words in Unicode, but not in JavaScript.
    step.normalize = (text) => normalise(text).replaceAll('\u0085', ' ');
  }
  step?.normalizers?.forEach(useCharsmaps);
};
