import { aFakeEmbeddingProvider, aTenantsView, describeEmbeddingProvider, type FakeEmbeddingOptions } from '@palimpsest/test-kit';
import { tenantId, Unavailable, type EmbeddingProvider, type TenantEmbeddings } from '@palimpsest/knowledge';
import fc from 'fast-check';

import { cachedEmbeddings } from './embedding-cache.ts';

const [TENANT, OTHER] = [tenantId('acme'), tenantId('other')];
const withoutMemory = (provider: EmbeddingProvider): TenantEmbeddings => ({ version: provider.version, forTenant: () => provider, close: () => provider.close() });

describeEmbeddingProvider('cachedEmbeddings', {
  open: () => aTenantsView(cachedEmbeddings(withoutMemory(aFakeEmbeddingProvider())), TENANT),
  openWithWrongWidth: () => aTenantsView(cachedEmbeddings(withoutMemory(aFakeEmbeddingProvider({ answeredWidth: 7 }))), TENANT),
  longText: 'word '.repeat(600),
});

describeEmbeddingProvider('cachedEmbeddings with hardly any room', {
  open: () => aTenantsView(cachedEmbeddings(withoutMemory(aFakeEmbeddingProvider()), { maxEntries: 1 }), TENANT),
  openWithWrongWidth: () => aTenantsView(cachedEmbeddings(withoutMemory(aFakeEmbeddingProvider({ answeredWidth: 7 })), { maxEntries: 1 }), TENANT),
  longText: 'word '.repeat(600),
});

const aCache = (options: FakeEmbeddingOptions = {}, maxEntries = 100) => {
  const provider = aFakeEmbeddingProvider(options);
  const cache = cachedEmbeddings(withoutMemory(provider), { maxEntries });
  return { cache, asked: () => provider.calls.map(({ texts }) => texts) };
};

/** A provider's `beforeAnswer` that holds its first call up until it is let go, well or with an error. */
const firstCallHeld = () => {
  let letGo!: (error?: Error) => void;
  const held = new Promise<void>((resolve, reject) => (letGo = (error) => (error === undefined ? resolve() : reject(error))));
  let calls = 0;
  return { beforeAnswer: () => (calls++ === 0 ? held : undefined), letGo: (error?: Error) => letGo(error) };
};

describe('the embedding cache', () => {
  it('asks the provider only for what it does not have', async () => {
    const { cache, asked } = aCache();
    await cache.forTenant(TENANT).embed(['a', 'b'], 'passage');
    await cache.forTenant(TENANT).embed(['b', 'c', 'a', 'c'], 'passage');
    expect(asked()).toEqual([['a', 'b'], ['c']]);
    expect(cache.stats()).toEqual({ hits: 3, misses: 3, entries: 3 });
  });

  it('gives a tenant nothing that another one asked for, and computes it again', async () => {
    const { cache, asked } = aCache();
    await cache.forTenant(TENANT).embed(['a'], 'query');
    await cache.forTenant(OTHER).embed(['a'], 'query');
    await cache.forTenant(TENANT).embed(['a'], 'query');
    expect(asked()).toEqual([['a'], ['a']]);
    expect(cache.stats()).toEqual({ hits: 1, misses: 2, entries: 2 });
  });

  it('lets no tenant join the call of another', async () => {
    const { beforeAnswer, letGo } = firstCallHeld();
    const { cache, asked } = aCache({ beforeAnswer });
    const held = cache.forTenant(TENANT).embed(['a'], 'query');
    await expect(cache.forTenant(OTHER).embed(['a'], 'query')).resolves.toHaveLength(1);
    letGo();
    await held;
    expect(asked()).toEqual([['a'], ['a']]);
  });

  it('keeps the texts of a tenant when another one fills it', async () => {
    const { cache, asked } = aCache({}, 4);
    await cache.forTenant(TENANT).embed(['kept'], 'query');
    for (const text of ['a', 'b', 'c', 'd', 'e', 'f']) await cache.forTenant(OTHER).embed([text], 'query');
    await cache.forTenant(TENANT).embed(['kept'], 'query');
    expect(asked().filter(([text]) => text === 'kept')).toHaveLength(1);
  });

  it('answers as the provider would, whatever it has and in whatever order', () => {
    const { cache } = aCache({}, 4);
    const someTexts = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { maxLength: 8 });
    return fc.assert(
      fc.asyncProperty(someTexts, fc.constantFrom('query' as const, 'passage' as const), async (texts, kind) => {
        expect(await cache.forTenant(TENANT).embed(texts, kind)).toEqual(await aFakeEmbeddingProvider().embed(texts, kind));
        expect(cache.stats().entries).toBeLessThanOrEqual(4);
      }),
    );
  });

  it('tells queries from passages', async () => {
    const { cache, asked } = aCache();
    await cache.forTenant(TENANT).embed(['a'], 'passage');
    await cache.forTenant(TENANT).embed(['a'], 'query');
    expect(asked()).toEqual([['a'], ['a']]);
  });

  it('tells texts apart that differ only in what UTF-8 cannot say', async () => {
    const { cache, asked } = aCache();
    await cache.forTenant(TENANT).embed(['\ud800', '\ud801'], 'passage');
    expect(asked()).toEqual([['\ud800', '\ud801']]);
  });

  it('forgets what was not used for longest', async () => {
    const { cache, asked } = aCache({}, 2);
    for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.forTenant(TENANT).embed([text], 'passage');
    expect(asked().flat()).toEqual(['a', 'b', 'c', 'b']);
  });

  it('computes a text once for all who ask for it at the same time', async () => {
    const { beforeAnswer, letGo } = firstCallHeld();
    const { cache, asked } = aCache({ beforeAnswer });
    const answers = Promise.all([cache.forTenant(TENANT).embed(['a', 'b'], 'passage'), cache.forTenant(TENANT).embed(['b', 'c'], 'passage'), cache.forTenant(TENANT).embed(['a'], 'passage')]);
    letGo();
    const [first, second, third] = await answers;
    expect(asked()).toEqual([['a', 'b'], ['c']]);
    expect(second[0]).toEqual(first[1]);
    expect(third[0]).toEqual(first[0]);
    expect(cache.stats()).toEqual({ hits: 2, misses: 3, entries: 3 });
  });

  it('goes on for those who joined when the one who began has left', async () => {
    const { beforeAnswer, letGo } = firstCallHeld();
    const { cache, asked } = aCache({ beforeAnswer });
    const controller = new AbortController();
    const began = cache.forTenant(TENANT).embed(['a'], 'passage', controller.signal);
    const joined = cache.forTenant(TENANT).embed(['a'], 'passage');
    controller.abort(new Error('enough'));
    await expect(began).rejects.toThrow('enough');
    letGo();
    await expect(joined).resolves.toHaveLength(1);
    expect(asked()).toEqual([['a']]);
  });

  it('goes on for the one who began when those who joined have left', async () => {
    const { beforeAnswer, letGo } = firstCallHeld();
    const { cache } = aCache({ beforeAnswer });
    const controller = new AbortController();
    const began = cache.forTenant(TENANT).embed(['a'], 'passage', new AbortController().signal);
    const joined = cache.forTenant(TENANT).embed(['a'], 'passage', controller.signal);
    controller.abort(new Error('enough'));
    await expect(joined).rejects.toThrow('enough');
    letGo();
    await expect(began).resolves.toHaveLength(1);
  });

  it('aborts the provider when all have left, and computes anew for who comes then', async () => {
    const { beforeAnswer } = firstCallHeld();
    const provider = aFakeEmbeddingProvider({ beforeAnswer });
    const cache = cachedEmbeddings(withoutMemory(provider));
    const controller = new AbortController();
    const calls = [1, 2].map(() => cache.forTenant(TENANT).embed(['a'], 'passage', controller.signal));
    controller.abort(new Error('enough'));
    const later = cache.forTenant(TENANT).embed(['a'], 'passage');
    for (const call of calls) await expect(call).rejects.toThrow('enough');
    expect(provider.calls[0]?.signal?.aborted).toBe(true);
    await expect(later).resolves.toHaveLength(1);
  });

  it('computes the texts of those who joined without the ones that failed', async () => {
    const { beforeAnswer, letGo } = firstCallHeld();
    const { cache, asked } = aCache({ beforeAnswer });
    const began = cache.forTenant(TENANT).embed(['poison', 'a'], 'passage');
    const joined = cache.forTenant(TENANT).embed(['a', 'b'], 'passage');
    letGo(new Unavailable('out of order'));
    await expect(began).rejects.toThrow('out of order');
    await expect(joined).resolves.toHaveLength(2);
    expect(asked()).toEqual([['poison', 'a'], ['b'], ['a']]);
    expect(cache.stats()).toEqual({ hits: 0, misses: 4, entries: 2 });
  });

  it('keeps no failure', async () => {
    const { beforeAnswer, letGo } = firstCallHeld();
    const { cache } = aCache({ beforeAnswer });
    const failed = cache.forTenant(TENANT).embed(['a'], 'passage');
    letGo(new Unavailable('out of order'));
    await expect(failed).rejects.toThrow('out of order');
    await expect(cache.forTenant(TENANT).embed(['a'], 'passage')).resolves.toHaveLength(1);
  });

  it.each([
    ['too few embeddings', [], 'Unavailable'],
    ['a vector of another width', [{ vector: new Float32Array(3), tokens: 1, truncated: false }], 'EmbeddingModelMismatch'],
  ])('keeps nothing when the provider gives %s', async (_, answer, code) => {
    const cache = cachedEmbeddings(withoutMemory({ ...aFakeEmbeddingProvider(), embed: async () => answer }));
    await expect(cache.forTenant(TENANT).embed(['a'], 'passage')).rejects.toMatchObject({ code });
    expect(cache.stats().entries).toBe(0);
  });

  it('is not moved by a provider who changes a vector that it gave', async () => {
    const [given] = await aFakeEmbeddingProvider().embed(['a'], 'passage');
    const vector = given?.vector ?? new Float32Array();
    const cache = cachedEmbeddings(withoutMemory({ ...aFakeEmbeddingProvider(), embed: async () => [{ vector, tokens: 1, truncated: false }] }));
    const before = await cache.forTenant(TENANT).embed(['a'], 'passage');
    vector.fill(0);
    expect(await cache.forTenant(TENANT).embed(['a'], 'passage')).toEqual(before);
  });

  it('closes the provider', async () => {
    const provider = aFakeEmbeddingProvider();
    await cachedEmbeddings(withoutMemory(provider)).close();
    await expect(provider.embed(['a'], 'passage')).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it.each([0, -1, 1.5])('refuses room for %d entries', (maxEntries) => {
    expect(() => cachedEmbeddings(withoutMemory(aFakeEmbeddingProvider()), { maxEntries })).toThrow(
      expect.objectContaining({ code: 'InvalidValue', field: 'maxEntries' }),
    );
  });
});
