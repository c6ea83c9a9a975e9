import { Tokenizer } from '@huggingface/tokenizers';

import { precompiledCharsmap } from './precompiled-charsmap.ts';

/** The part of the library that is used here; its own declarations do not resolve under `nodenext`. */
export interface TokenSplitter {
  encode(
    text: string,
    options?: { add_special_tokens?: boolean; text_pair?: string; return_token_type_ids?: boolean },
  ): { ids: number[]; token_type_ids?: number[] };
}

/** `head` and `tail`: the special tokens that the tokenizer adds before and after every text. */
export type OpenTokenizer = Readonly<{ tokenizer: TokenSplitter; head: readonly number[]; tail: readonly number[] }>;

/** @param tokenizerJson the parsed `tokenizer.json` */
export const openTokenizer = (tokenizerJson: object): OpenTokenizer => {
  const tokenizer = splitterOf(tokenizerJson);
  const bare = tokenizer.encode('a', { add_special_tokens: false }).ids;
  const full = tokenizer.encode('a').ids;
  const start = full.findIndex((_, i) => bare.every((id, j) => full[i + j] === id));
  return { tokenizer, head: full.slice(0, start), tail: full.slice(start + bare.length) };
};

type Special = Readonly<{ ids: readonly number[]; types: readonly number[] }>;

/** `special`: the special tokens before, between and after the two texts of a pair. */
export type PairTokenizer = Readonly<{
  tokenizer: TokenSplitter;
  special: readonly [head: Special, middle: Special, tail: Special];
  queryType: number;
  passageType: number;
}>;

/** @param tokenizerJson the parsed `tokenizer.json` */
export const openPairTokenizer = (tokenizerJson: object): PairTokenizer => {
  const tokenizer = splitterOf(tokenizerJson);
  const [one, other] = ['a', 'b'].map((text) => tokenizer.encode(text, { add_special_tokens: false }).ids) as [number[], number[]];
  const pair = tokenizer.encode('a', { text_pair: 'b', return_token_type_ids: true });
  const types = pair.token_type_ids ?? pair.ids.map(() => 0);
  const find = (ids: readonly number[], from: number): number => {
    const at = pair.ids.findIndex((_, i) => i >= from && ids.every((id, j) => pair.ids[i + j] === id));
    if (at < 0) throw new Error('the tokenizer has no template for pairs of texts');
    return at;
  };
  const queryAt = find(one, 0);
  const passageAt = find(other, queryAt + one.length);
  const part = (from: number, to?: number): Special => ({ ids: pair.ids.slice(from, to), types: types.slice(from, to) });
  return {
    tokenizer,
    special: [part(0, queryAt), part(queryAt + one.length, passageAt), part(passageAt + other.length)],
    queryType: types[queryAt] ?? 0,
    passageType: types[passageAt] ?? 0,
  };
};

const splitterOf = (tokenizerJson: object): TokenSplitter => {
  const tokenizer: TokenSplitter & { normalizer?: Normalizer | null } = new Tokenizer(tokenizerJson, {});
  useCharsmaps(tokenizer.normalizer);
  return tokenizer;
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
