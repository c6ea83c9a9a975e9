import type { EmbeddingProvider } from '@palimpsest/knowledge/ports';
import { describeEmbeddingProvider } from '@palimpsest/test-kit';

import { aModelFolder } from '../test/a-model-folder.ts';
import { openOnnxEmbeddings } from './onnx-embeddings.ts';

describeEmbeddingProvider('openOnnxEmbeddings', {
  open: () => openOnnxEmbeddings({ threads: 2 }),
  openWithWrongWidth: async () => openOnnxEmbeddings({ folder: await aModelFolder({ dimensions: 512 }) }),
  longText: 'word '.repeat(300),
  runs: 10,
});

const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

describe('the model in the repository', () => {
  let provider: EmbeddingProvider;
  beforeAll(async () => {
    provider = await openOnnxEmbeddings({ threads: 1 });
  });
  afterAll(() => provider.close());

  const vectorOf = async (text: string): Promise<Float32Array> =>
    (await provider.embed([text], 'passage'))[0]?.vector ?? new Float32Array();

  it('is all-MiniLM-L6-v2', () => {
    expect(provider.version).toBe('onnx:all-minilm-l6-v2-int8/384');
  });

  it('captures the meaning of texts', async () => {
    const question = await vectorOf('How do I change my password?');
    const related = cosine(question, await vectorOf('Resetting your login credentials'));
    const unrelated = cosine(question, await vectorOf('The harvest of bananas in Ecuador'));
    expect(related).toBeGreaterThan(0.4);
    expect(unrelated).toBeLessThan(0.1);
  });

  it('returns different vectors with another pooling', async () => {
    const byFirstToken = await openOnnxEmbeddings({ folder: await aModelFolder({ pooling: 'cls', model: 'minilm-cls' }), threads: 1 });
    const [embedding] = await byFirstToken.embed(['a text'], 'passage');
    expect(cosine(await vectorOf('a text'), embedding?.vector ?? new Float32Array())).toBeLessThan(0.95);
    await byFirstToken.close();
  });

  it.each(['model.onnx', 'tokenizer.json'])('cannot be opened if %s is invalid', async (name) => {
    const folder = await aModelFolder({}, { [name]: 'something else' });
    await expect(openOnnxEmbeddings({ folder })).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringMatching(/^all-minilm-l6-v2-int8 cannot be loaded: .+/),
    });
  });

  it.each([0, 1.5, -1])('refuses %d threads', async (threads) => {
    await expect(openOnnxEmbeddings({ threads })).rejects.toMatchObject({ code: 'InvalidValue', field: 'threads' });
  });

  it('is Unavailable once it is closed', async () => {
    const closed = await openOnnxEmbeddings({ threads: 1 });
    await closed.close();
    await expect(closed.embed(['text'], 'query')).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
