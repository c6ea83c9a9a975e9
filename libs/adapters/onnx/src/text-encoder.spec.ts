import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { DEFAULT_FOLDER, defaultDescription } from '../test/a-model-folder.ts';
import type { ModelDescription } from './model-description.ts';
import { textEncoder } from './text-encoder.ts';

const TOKENIZER = JSON.parse(readFileSync(join(DEFAULT_FOLDER, 'tokenizer.json'), 'utf8')) as object;
const [CLS, SEP] = [101, 102];

const encoder = async (changes: Partial<ModelDescription> = {}) => textEncoder(TOKENIZER, { ...(await defaultDescription()), ...changes });

describe('the text encoder', () => {
  it('adds the special tokens around the text', async () => {
    const encode = await encoder();
    // Ids of "hello" and "world" in the vocabulary of BERT, uncased.
    expect(encode('Hello, world', 'passage')).toEqual({ ids: [CLS, 7592, 1010, 2088, SEP], truncated: false });
  });

  it('truncates a long text to the limit of the model and keeps [SEP]', async () => {
    const encode = await encoder({ maxTokens: 10 });
    expect(encode('word '.repeat(8), 'passage')).toMatchObject({ truncated: false, ids: { length: 10 } });
    const { ids, truncated } = encode('word '.repeat(9), 'passage');
    expect(truncated).toBe(true);
    expect(ids).toHaveLength(10);
    expect([ids[0], ids.at(-1)]).toEqual([CLS, SEP]);
    expect(ids.slice(1, -1).every((id) => id === 2773)).toBe(true);
  });

  it('does not tokenize megabytes of text beyond the limit of the model', async () => {
    const encode = await encoder();
    const { ids, truncated } = encode('🗼'.repeat(2_000_000), 'passage');
    expect(truncated).toBe(true);
    expect(ids.length).toBeLessThanOrEqual(256);
  });

  it('prepends the prefix of its kind', async () => {
    const encode = await encoder({ queryPrefix: 'query: ', passagePrefix: 'passage: ' });
    const plain = await encoder();
    expect(encode('x', 'query')).toEqual(plain('query: x', 'passage'));
    expect(encode('x', 'passage')).toEqual(plain('passage: x', 'passage'));
  });

  it('lower-cases the text if the model requires it', async () => {
    const caseSensitive = { ...TOKENIZER, normalizer: null };
    const description = await defaultDescription();
    const lower = textEncoder(caseSensitive, { ...description, lowercase: true });
    const asIs = textEncoder(caseSensitive, description);
    expect(lower('HELLO', 'query')).toEqual(asIs('hello', 'query'));
    expect(asIs('HELLO', 'query')).not.toEqual(asIs('hello', 'query'));
  });
});
