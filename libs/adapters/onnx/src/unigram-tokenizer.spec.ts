import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

import { defaultDescription } from '../test/a-model-folder.ts';
import { precompiledCharsmap } from './precompiled-charsmap.ts';
import { textEncoder } from './text-encoder.ts';
import { openTokenizer } from './tokenizer.ts';

type Reference = Readonly<{
  tokenizer: { normalizer: { precompiled_charsmap: string } };
  cases: readonly (readonly [text: string, ids: readonly number[]])[];
}>;

/** A tokenizer like that of XLM-RoBERTa, with the tokens that the Rust library of Hugging Face gives (`make-unigram.py`). */
const { tokenizer: TOKENIZER, cases } = JSON.parse(
  gunzipSync(readFileSync(new URL('../test/fixtures/unigram.json.gz', import.meta.url))).toString(),
) as Reference;

const differing = (texts: Reference['cases']): readonly string[] => {
  const { tokenizer } = openTokenizer(TOKENIZER);
  return texts.filter(([text, ids]) => JSON.stringify(tokenizer.encode(text).ids) !== JSON.stringify(ids)).map(([text]) => text);
};

describe('a Unigram tokenizer', () => {
  it('gives the tokens of the Rust library for texts of 16 languages and for random characters', () => {
    expect(cases.length).toBeGreaterThan(900);
    expect(differing(cases)).toEqual([]);
  });

  it('needs the exact normalisation for that', () => {
    const { tokenizer } = openTokenizer({ ...TOKENIZER, normalizer: { type: 'NFKC' } });
    expect(cases.some(([text, ids]) => JSON.stringify(tokenizer.encode(text).ids) !== JSON.stringify(ids))).toBe(true);
  });

  it('adds its own special tokens and truncates', async () => {
    const encode = textEncoder(TOKENIZER, { ...(await defaultDescription()), maxTokens: 12 });
    const { ids, truncated } = encode('Die Katze sitzt auf der Fensterbank und beobachtet die Vögel im Garten.', 'passage');
    expect({ truncated, length: ids.length, first: ids[0], last: ids.at(-1) }).toEqual({ truncated: true, length: 12, first: 0, last: 2 });
  });

  it('reads a text without blanks that is longer than the library accepts at once', async () => {
    const encode = textEncoder(TOKENIZER, { ...(await defaultDescription()), maxTokens: 8_192 });
    const { ids, truncated } = encode('猫坐在窗台上看着花园里的鸟'.repeat(20_000), 'passage');
    expect({ truncated, length: ids.length }).toEqual({ truncated: true, length: 8_192 });
  });
});

describe('a charsmap of SentencePiece', () => {
  const normalise = precompiledCharsmap(TOKENIZER.normalizer.precompiled_charsmap);

  it.each([
    ['ﬁne Ａｂｃ ①', 'fine Abc 1'],
    ['a\u00a0b\u200bc\td', 'a b c d'],
    ['e\u0301', 'é'],
    ['Straße 猫 ก็', 'Straße 猫 ก็'],
    ['', ''],
  ])('turns %j into %j', (text, expected) => expect(normalise(text)).toBe(expected));

  it.each(['', 'AAAA', Buffer.from([255, 255, 255, 127]).toString('base64')])('is refused if it is damaged: %j', (base64) => {
    expect(() => precompiledCharsmap(base64)).toThrow('damaged');
  });
});
