import { embeddingVersion } from '@palimpsest/knowledge/values';
import { SYSTEM } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { Embedding } from '@palimpsest/knowledge/ports';
import { aFakeEmbeddingProvider, describeEmbeddingProvider, type FakeEmbeddingOptions } from '@palimpsest/test-kit';
import { ManualTime, settled } from '../../test/manual-time.ts';
import { lazyProvider } from './lazy-provider.ts';

const VERSION = embeddingVersion('fake:lazy/8');
const lazyFake = (options: FakeEmbeddingOptions = {}) => {
  const model = aFakeEmbeddingProvider(options);
  return lazyProvider({ version: model.version, open: async () => model, window: () => model.window() }, 1, SYSTEM.scheduler);
};

describeEmbeddingProvider('lazyProvider, unloaded after a millisecond', {
  open: () => lazyFake({ maxWords: 20 }),
  openWithWrongWidth: () => lazyFake({ answeredWidth: 3 }),
  longText: 'word '.repeat(50),
});

/** A model whose calls wait for the test, and that counts how often it was loaded and closed. */
const observed = (onOpen: (attempt: number) => void = () => undefined) => {
  const time = new ManualTime();
  const real = aFakeEmbeddingProvider({ version: VERSION });
  const counts = { opened: 0, closed: 0, callsAfterClose: 0 };
  const answers: (() => void)[] = [];
  const provider = lazyProvider(
    {
      version: VERSION,
      window: () => real.window(),
      open: async () => {
        onOpen(++counts.opened);
        let open = true;
        return {
          ...real,
          window: () => real.window(),
          embed: async (texts, kind): Promise<readonly Embedding[]> => {
            if (!open) counts.callsAfterClose++;
            await new Promise<void>((resolve) => answers.push(resolve));
            if (!open) counts.callsAfterClose++;
            return real.embed(texts, kind);
          },
          close: async () => {
            open = false;
            counts.closed++;
          },
        };
      },
    },
    1_000,
    time.scheduler,
  );
  return { time, provider, counts, answer: () => answers.shift()?.() };
};

describe('a model that is loaded on first use', () => {
  it('is not loaded to learn its window', async () => {
    const { provider, counts } = observed();
    await provider.window();
    expect([counts.opened, provider.loaded()]).toEqual([0, false]);
  });

  it('is unloaded when it was idle for long enough, and loaded again', async () => {
    const { time, provider, counts, answer } = observed();
    for (const round of [1, 2]) {
      const call = provider.embed(['a'], 'query');
      await settled();
      expect(provider.loaded()).toBe(true);
      answer();
      await call;
      await time.pass(999);
      expect(counts).toMatchObject({ opened: round, closed: round - 1 });
      await time.pass(1);
      expect(counts).toMatchObject({ opened: round, closed: round });
      expect(provider.loaded()).toBe(false);
    }
  });

  it('is never unloaded while a call is running, however long it takes', async () => {
    const { time, provider, counts, answer } = observed();
    const first = provider.embed(['a'], 'query');
    const second = provider.embed(['b'], 'query');
    await settled();
    answer();
    await first;
    await time.pass(100_000);
    expect(counts.closed).toBe(0);
    answer();
    await second;
    await time.pass(1_000);
    expect(counts).toEqual({ opened: 1, closed: 1, callsAfterClose: 0 });
  });

  it('loads again for the next call if loading failed', async () => {
    const { provider, answer } = observed((attempt) => {
      if (attempt === 1) throw new Unavailable('no memory');
    });
    await expect(provider.embed(['a'], 'query')).rejects.toThrow('no memory');
    const call = provider.embed(['a'], 'query');
    await settled();
    answer();
    await expect(call).resolves.toHaveLength(1);
  });

  it('finishes the running calls before it is removed, and accepts no more', async () => {
    const { provider, counts, answer } = observed();
    const running = provider.embed(['a'], 'passage');
    await settled();
    const retired = provider.retire();
    await expect(provider.embed(['b'], 'passage')).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('removed'),
    });
    expect(counts.closed).toBe(0);
    answer();
    await expect(running).resolves.toHaveLength(1);
    await retired;
    expect(counts).toEqual({ opened: 1, closed: 1, callsAfterClose: 0 });
  });

  it('can be removed while it fails to load', async () => {
    const { provider } = observed(() => {
      throw new Unavailable('no memory');
    });
    const failing = provider.embed(['a'], 'passage');
    const retired = provider.retire();
    await expect(failing).rejects.toThrow('no memory');
    await retired;
  });
});
