import { SYSTEM } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';
import { embeddingVersion } from '@palimpsest/knowledge/values';
import { aFakeEmbeddingProvider, describeEmbeddingProvider } from '@palimpsest/test-kit';
import { limitedEmbeddings } from './limited-embeddings.ts';

const LIMITS = { batchSize: 2, concurrency: 2, requestsPerMinute: 1_000_000, tokensPerMinute: 1_000_000_000 };

describeEmbeddingProvider('limitedEmbeddings', {
  open: () => limitedEmbeddings(aFakeEmbeddingProvider({ maxWords: 20 }), LIMITS, SYSTEM),
  openWithWrongWidth: () => limitedEmbeddings(aFakeEmbeddingProvider({ answeredWidth: 3 }), LIMITS, SYSTEM),
  longText: 'word '.repeat(50),
});

describe('a model with limits', () => {
  it('is the model itself without limits', () => {
    const model = aFakeEmbeddingProvider();
    expect(limitedEmbeddings(model, {}, SYSTEM)).toBe(model);
  });

  it('gets its texts in batches, at most two at the same time', async () => {
    let running = 0;
    let most = 0;
    const model = aFakeEmbeddingProvider({ version: embeddingVersion('fake:small/8') });
    const sizes: number[] = [];
    const limited = limitedEmbeddings(
      {
        ...model,
        window: () => model.window(),
        embed: async (texts, kind, signal) => {
          sizes.push(texts.length);
          most = Math.max(most, ++running);
          await new Promise((resolve) => setImmediate(resolve));
          running--;
          return model.embed(texts, kind, signal);
        },
      },
      { batchSize: 3, concurrency: 2 },
      SYSTEM,
    );
    await limited.embed(
      Array.from({ length: 10 }, (_, i) => `text ${i}`),
      'passage',
    );
    expect(sizes).toEqual([3, 3, 3, 1]);
    expect(most).toBe(2);
  });

  it('fails with the error of the first batch that fails, and sends no further one', async () => {
    let calls = 0;
    const model = aFakeEmbeddingProvider({
      beforeAnswer: () => {
        if (++calls === 2) throw new Unavailable('down');
      },
    });
    const limited = limitedEmbeddings(model, { batchSize: 1, concurrency: 1 }, SYSTEM);
    await expect(limited.embed(['a', 'b', 'c', 'd'], 'passage')).rejects.toMatchObject({ code: 'Unavailable', message: 'down' });
    expect(calls).toBe(2);
  });
});
