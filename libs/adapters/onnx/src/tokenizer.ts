import { Tokenizer } from '@huggingface/tokenizers';

/** The part of the library that is used here; its own declarations do not resolve under `nodenext`. */
export interface TokenSplitter {
  encode(text: string, options?: { add_special_tokens: boolean }): { ids: number[] };
}

/** `head` and `tail`: the special tokens that the tokenizer adds before and after every text. */
export type OpenTokenizer = Readonly<{ tokenizer: TokenSplitter; head: readonly number[]; tail: readonly number[] }>;

/** @param tokenizerJson the parsed `tokenizer.json` */
export const openTokenizer = (tokenizerJson: object): OpenTokenizer => {
  const tokenizer: TokenSplitter = new Tokenizer(tokenizerJson, {});
  const bare = tokenizer.encode('a', { add_special_tokens: false }).ids;
  const full = tokenizer.encode('a').ids;
  const start = full.findIndex((_, i) => bare.every((id, j) => full[i + j] === id));
  return { tokenizer, head: full.slice(0, start), tail: full.slice(start + bare.length) };
};
