import { aFakeEmbeddingProvider, aTenantsView, describeEmbeddingProvider, type FakeEmbeddingOptions } from '@palimpsest/test-kit';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { EmbeddingProvider, TenantEmbeddings } from '@palimpsest/knowledge/ports';
import { tenantId } from '@palimpsest/knowledge/values';
import fc from 'fast-check';

import { cachedEmbeddings } from './embedding-cache.ts';

const [TENANT, OTHER] = [tenantId('acme'), tenantId('other')];
const withoutMemory = (provider: EmbeddingProvider): TenantEmbeddings => ({
  version: provider.version,
  forTenant: () => provider,
  close: () => provider.close(),
});

describeEmbeddingProvider('cachedEmbeddings', {
  open: () => aTenantsView(cachedEmbeddings(withoutMemory(aFakeEmbeddingProvider())), TENANT),
  openWithWrongWidth: () => aTenantsView(cachedEmbeddings(withoutMemory(aFakeEmbeddingProvider({ answeredWidth: 7 }))), TENANT),
  longText: 'word '.repeat(600),
});

describeEmbeddingProvider('cachedEmbeddings with a single entry', {
  open: () => aTenantsView(cachedEmbeddings(withoutMemory(aFakeEmbeddingProvider()), { maxEntries: 1 }), TENANT),
  openWithWrongWidth: () =>
    aTenantsView(cachedEmbeddings(withoutMemory(aFakeEmbeddingProvider({ answeredWidth: 7 })), { maxEntries: 1 }), TENANT),
  longText: 'word '.repeat(600),
});

const aCache = (options: FakeEmbeddingOptions = {}, maxEntries = 100) => {
  const provider = aFakeEmbeddingProvider(options);
  const cache = cachedEmbeddings(withoutMemory(provider), { maxEntries });
  return { cache, requested: () => provider.calls.map(({ texts }) => texts) };
};

/** A `beforeAnswer` that holds the provider's first call until it is released, optionally with an error. */
const holdFirstCall = () => {
  let release!: (error?: Error) => void;
  const held = new Promise<void>((resolve, reject) => (release = (error) => (error === undefined ? resolve() : reject(error))));
  let calls = 0;
  return { beforeAnswer: () => (calls++ === 0 ? held : undefined), release: (error?: Error) => release(error) };
};

describe('the embedding cache', () => {
  it('asks the provider only for texts that are not cached', async () => {
    const { cache, requested } = aCache();
    await cache.forTenant(TENANT).embed(['a', 'b'], 'passage');
    await cache.forTenant(TENANT).embed(['b', 'c', 'a', 'c'], 'passage');
    expect(requested()).toEqual([['a', 'b'], ['c']]);
    expect(cache.stats()).toEqual({ hits: 3, misses: 3, entries: 3 });
  });

  it('does not share embeddings between tenants, and computes them again', async () => {
    const { cache, requested } = aCache();
    await cache.forTenant(TENANT).embed(['a'], 'query');
    await cache.forTenant(OTHER).embed(['a'], 'query');
    await cache.forTenant(TENANT).embed(['a'], 'query');
    expect(requested()).toEqual([['a'], ['a']]);
    expect(cache.stats()).toEqual({ hits: 1, misses: 2, entries: 2 });
  });

  it('lets no tenant join the call of another', async () => {
    const { beforeAnswer, release } = holdFirstCall();
    const { cache, requested } = aCache({ beforeAnswer });
    const held = cache.forTenant(TENANT).embed(['a'], 'query');
    await expect(cache.forTenant(OTHER).embed(['a'], 'query')).resolves.toHaveLength(1);
    release();
    await held;
    expect(requested()).toEqual([['a'], ['a']]);
  });

  it('keeps the texts of a tenant when another one fills it', async () => {
    const { cache, requested } = aCache({}, 4);
    await cache.forTenant(TENANT).embed(['kept'], 'query');
    for (const text of ['a', 'b', 'c', 'd', 'e', 'f']) await cache.forTenant(OTHER).embed([text], 'query');
    await cache.forTenant(TENANT).embed(['kept'], 'query');
    expect(requested().filter(([text]) => text === 'kept')).toHaveLength(1);
  });

  it('forgets one tenant, also in what is behind it', async () => {
    const forgotten: string[] = [];
    const provider = aFakeEmbeddingProvider();
    const cache = cachedEmbeddings({ ...withoutMemory(provider), forget: async (tenant) => void forgotten.push(tenant) });
    for (const tenant of [TENANT, OTHER]) await cache.forTenant(tenant).embed(['a', 'b'], 'passage');
    await cache.forget(TENANT);
    expect([cache.stats().entries, forgotten]).toEqual([2, [TENANT]]);
    for (const tenant of [TENANT, OTHER]) await cache.forTenant(tenant).embed(['a'], 'passage');
    expect(provider.calls.map(({ texts }) => texts)).toEqual([['a', 'b'], ['a', 'b'], ['a']]);
  });

  it('returns the same embeddings as the provider, whatever is cached and in any order', () => {
    const { cache } = aCache({}, 4);
    const someTexts = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { maxLength: 8 });
    return fc.assert(
      fc.asyncProperty(someTexts, fc.constantFrom('query' as const, 'passage' as const), async (texts, kind) => {
        expect(await cache.forTenant(TENANT).embed(texts, kind)).toEqual(await aFakeEmbeddingProvider().embed(texts, kind));
        expect(cache.stats().entries).toBeLessThanOrEqual(4);
      }),
    );
  });

  it('distinguishes queries from passages', async () => {
    const { cache, requested } = aCache();
    await cache.forTenant(TENANT).embed(['a'], 'passage');
    await cache.forTenant(TENANT).embed(['a'], 'query');
    expect(requested()).toEqual([['a'], ['a']]);
  });

  it('distinguishes texts that differ only in lone surrogates, which UTF-8 cannot encode', async () => {
    const { cache, requested } = aCache();
    await cache.forTenant(TENANT).embed(['\ud800', '\ud801'], 'passage');
    expect(requested()).toEqual([['\ud800', '\ud801']]);
  });

  it('evicts the least recently used entry', async () => {
    const { cache, requested } = aCache({}, 2);
    for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.forTenant(TENANT).embed([text], 'passage');
    expect(requested().flat()).toEqual(['a', 'b', 'c', 'b']);
  });

  it('computes a text once for concurrent calls', async () => {
    const { beforeAnswer, release } = holdFirstCall();
    const { cache, requested } = aCache({ beforeAnswer });
    const answers = Promise.all([
      cache.forTenant(TENANT).embed(['a', 'b'], 'passage'),
      cache.forTenant(TENANT).embed(['b', 'c'], 'passage'),
      cache.forTenant(TENANT).embed(['a'], 'passage'),
    ]);
    release();
    const [first, second, third] = await answers;
    expect(requested()).toEqual([['a', 'b'], ['c']]);
    expect(second[0]).toEqual(first[1]);
    expect(third[0]).toEqual(first[0]);
    expect(cache.stats()).toEqual({ hits: 2, misses: 3, entries: 3 });
  });

  it('continues for joined callers when the first caller aborts', async () => {
    const { beforeAnswer, release } = holdFirstCall();
    const { cache, requested } = aCache({ beforeAnswer });
    const controller = new AbortController();
    const began = cache.forTenant(TENANT).embed(['a'], 'passage', controller.signal);
    const joined = cache.forTenant(TENANT).embed(['a'], 'passage');
    controller.abort(new Error('enough'));
    await expect(began).rejects.toThrow('enough');
    release();
    await expect(joined).resolves.toHaveLength(1);
    expect(requested()).toEqual([['a']]);
  });

  it('continues for the first caller when joined callers abort', async () => {
    const { beforeAnswer, release } = holdFirstCall();
    const { cache } = aCache({ beforeAnswer });
    const controller = new AbortController();
    const began = cache.forTenant(TENANT).embed(['a'], 'passage', new AbortController().signal);
    const joined = cache.forTenant(TENANT).embed(['a'], 'passage', controller.signal);
    controller.abort(new Error('enough'));
    await expect(joined).rejects.toThrow('enough');
    release();
    await expect(began).resolves.toHaveLength(1);
  });

  it('aborts the provider when all callers have aborted, and computes the text again for later callers', async () => {
    const { beforeAnswer } = holdFirstCall();
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

  it('computes the texts of joined callers separately if the first call fails', async () => {
    const { beforeAnswer, release } = holdFirstCall();
    const { cache, requested } = aCache({ beforeAnswer });
    const began = cache.forTenant(TENANT).embed(['poison', 'a'], 'passage');
    const joined = cache.forTenant(TENANT).embed(['a', 'b'], 'passage');
    release(new Unavailable('out of order'));
    await expect(began).rejects.toThrow('out of order');
    await expect(joined).resolves.toHaveLength(2);
    expect(requested()).toEqual([['poison', 'a'], ['b'], ['a']]);
    expect(cache.stats()).toEqual({ hits: 0, misses: 4, entries: 2 });
  });

  it('does not cache failures', async () => {
    const { beforeAnswer, release } = holdFirstCall();
    const { cache } = aCache({ beforeAnswer });
    const failed = cache.forTenant(TENANT).embed(['a'], 'passage');
    release(new Unavailable('out of order'));
    await expect(failed).rejects.toThrow('out of order');
    await expect(cache.forTenant(TENANT).embed(['a'], 'passage')).resolves.toHaveLength(1);
  });

  it.each([
    ['too few embeddings', [], 'Unavailable'],
    ['a vector of another width', [{ vector: new Float32Array(3), tokens: 1, truncated: false }], 'EmbeddingModelMismatch'],
  ])('caches nothing if the provider returns %s', async (_, answer, code) => {
    const cache = cachedEmbeddings(withoutMemory({ ...aFakeEmbeddingProvider(), embed: async () => answer }));
    await expect(cache.forTenant(TENANT).embed(['a'], 'passage')).rejects.toMatchObject({ code });
    expect(cache.stats().entries).toBe(0);
  });

  it('is not affected by a provider that changes a returned vector', async () => {
    const [given] = await aFakeEmbeddingProvider().embed(['a'], 'passage');
    const vector = given?.vector ?? new Float32Array();
    const cache = cachedEmbeddings(
      withoutMemory({ ...aFakeEmbeddingProvider(), embed: async () => [{ vector, tokens: 1, truncated: false }] }),
    );
    const before = await cache.forTenant(TENANT).embed(['a'], 'passage');
    vector.fill(0);
    expect(await cache.forTenant(TENANT).embed(['a'], 'passage')).toEqual(before);
  });

  it('closes the provider', async () => {
    const provider = aFakeEmbeddingProvider();
    await cachedEmbeddings(withoutMemory(provider)).close();
    await expect(provider.embed(['a'], 'passage')).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it.each([0, -1, 1.5])('refuses maxEntries %d', (maxEntries) => {
    expect(() => cachedEmbeddings(withoutMemory(aFakeEmbeddingProvider()), { maxEntries })).toThrow(
      expect.objectContaining({ code: 'InvalidValue', field: 'maxEntries' }),
    );
  });
});
