import { describe, expect, it } from '@jest/globals';
import { embeddingVersion, type EmbeddingVersion } from '@palimpsest/knowledge/values';

import { describeEmbeddingProvider } from './embedding-provider-kit.ts';
import { aFakeEmbeddingProvider } from './fake-embeddings.ts';

describeEmbeddingProvider('the fake', {
  open: () => aFakeEmbeddingProvider(),
  openWithWrongWidth: () => aFakeEmbeddingProvider({ answeredWidth: 7 }),
  longText: 'word '.repeat(600),
});

const vectorOf = async (text: string, version?: EmbeddingVersion): Promise<Float32Array> => {
  const [embedding] = await aFakeEmbeddingProvider(version === undefined ? {} : { version }).embed([text], 'passage');
  return embedding?.vector ?? new Float32Array();
};

const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

describe('The fake embedding provider', () => {
  it('gives texts with common words similar vectors', async () => {
    const question = await vectorOf('how to reset a password');
    expect(cosine(question, await vectorOf('Reset a password!'))).toBeGreaterThan(0.7);
    expect(Math.abs(cosine(question, await vectorOf('yellow bananas from Ecuador')))).toBeLessThan(0.4);
  });

  it('gives each version its own vector space, of any width', async () => {
    const [one, other] = await Promise.all(['fake:one/64', 'fake:other/64'].map((raw) => vectorOf('a text', embeddingVersion(raw))));
    expect(Math.abs(cosine(one ?? new Float32Array(), other ?? new Float32Array()))).toBeLessThan(0.5);
    expect(await vectorOf('a text', embeddingVersion('fake:wide/1536'))).toHaveLength(1536);
    expect(await vectorOf('a text', embeddingVersion('fake:narrow/1'))).toHaveLength(1);
  });

  it('records its calls', async () => {
    const provider = aFakeEmbeddingProvider();
    await provider.embed(['one', 'two'], 'query');
    expect(provider.calls).toEqual([{ texts: ['one', 'two'], kind: 'query', signal: undefined }]);
  });

  it('fails with the configured error', async () => {
    const fault = new Error('out of order');
    const provider = aFakeEmbeddingProvider({ beforeAnswer: () => Promise.reject(fault) });
    await expect(provider.embed(['one'], 'query')).rejects.toBe(fault);
  });

  it('is Unavailable once it is closed', async () => {
    const provider = aFakeEmbeddingProvider();
    await provider.close();
    await expect(provider.embed(['one'], 'query')).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
