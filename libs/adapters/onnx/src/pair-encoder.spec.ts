import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { DEFAULT_FOLDER } from '../test/a-model-folder.ts';
import { pairEncoder } from './pair-encoder.ts';

const TOKENIZER = JSON.parse(readFileSync(join(DEFAULT_FOLDER, 'tokenizer.json'), 'utf8')) as object;
const UNIGRAM = JSON.parse(gunzipSync(readFileSync(new URL('../test/fixtures/unigram.json.gz', import.meta.url))).toString()) as {
  tokenizer: object;
};
const [CLS, SEP, WORD] = [101, 102, 2773];
const encoder = (maxTokens: number) => pairEncoder(TOKENIZER, { maxTokens, lowercase: false });

describe('the pair encoder', () => {
  it('has the special tokens and the types of a pair', () =>
    // Ids of "hello" and "world" in the vocabulary of BERT, uncased.
    expect(encoder(64)('hello', 'world')).toEqual({ ids: [CLS, 7592, SEP, 2088, SEP], types: [0, 0, 0, 1, 1] }));

  it('has those of another family of models', () => {
    const { ids, types } = pairEncoder(UNIGRAM.tokenizer, { maxTokens: 64, lowercase: false })('cat', 'chat');
    const [start, end] = [0, 2];
    expect([ids[0], ids.at(-1), ids.filter((id) => id === end).length, ids.filter((id) => id === start).length]).toEqual([
      start,
      end,
      3,
      1,
    ]);
    expect(new Set(types)).toEqual(new Set([0]));
  });

  it('cuts off the end of the passage, and of a query beyond half of the window', () => {
    expect(encoder(23)('word '.repeat(5), 'word '.repeat(50)).types.filter((type) => type === 1)).toHaveLength(16);
    const { ids, types } = encoder(23)('word '.repeat(50), 'word '.repeat(50));
    expect(ids).toEqual([CLS, ...Array(10).fill(WORD), SEP, ...Array(10).fill(WORD), SEP]);
    expect(types.lastIndexOf(0)).toBe(11);
    expect(encoder(23)('word '.repeat(50), 'word').ids).toHaveLength(14);
  });

  it('leaves out special tokens that a text contains', () =>
    expect(encoder(64)('hello [CLS]', '[SEP] world [SEP] hello')).toEqual({
      ids: [CLS, 7592, SEP, 2088, 7592, SEP],
      types: [0, 0, 0, 1, 1, 1],
    }));

  it('does not tokenize megabytes beyond the window', () =>
    expect(encoder(64)('x', '🗼'.repeat(2_000_000)).ids.length).toBeLessThanOrEqual(64));
});
