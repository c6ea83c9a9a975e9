import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { rewrittenVector } from './rewritten-vector.ts';

const dot = (one: Float32Array, other: Float32Array): number => one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0);

describe('The vector of a rewritten query', () => {
  const provider = aFakeEmbeddingProvider();
  const vectorOf = async (text: string) => rewrittenVector(provider, text, undefined);

  it('is that of the query if there are no texts', async () =>
    expect(await rewrittenVector(provider, 'coal', { by: 'queries', texts: [] })).toEqual(await vectorOf('coal')));

  it('has unit length, and orders passages by the similarity to the query plus the mean similarity to the texts', async () => {
    const texts = ['hot water', 'steam of a locomotive', 'black stone'];
    const [own, vector, ...others] = await Promise.all([
      vectorOf('coal'),
      rewrittenVector(provider, 'coal', { by: 'queries', texts }),
      ...texts.map(vectorOf),
    ]);
    expect(dot(vector, vector)).toBeCloseTo(1, 5);
    const passages = await Promise.all(['hot coal', 'a locomotive', 'stone', 'water of the garden'].map(vectorOf));
    const expected = passages.map((one) => dot(own, one) + others.reduce((sum, other) => sum + dot(other, one), 0) / 3);
    const scale = dot(vector, passages[0] ?? own) / (expected[0] ?? NaN);
    for (const [i, one] of passages.entries()) expect(dot(vector, one)).toBeCloseTo(scale * (expected[i] ?? NaN), 5);
  });

  it('is that of the query if the texts mean the opposite', async () => {
    const opposite = {
      ...provider,
      embed: async (texts: readonly string[]) =>
        texts.map((text) => ({ vector: Float32Array.of(text === 'up' ? 1 : -1, 0), tokens: 1, truncated: false })),
    };
    expect(await rewrittenVector(opposite, 'up', { by: 'queries', texts: ['down'] })).toEqual(Float32Array.of(1, 0));
  });
});
