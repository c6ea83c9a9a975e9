import { Redis } from 'ioredis';
import { tenantId } from '@palimpsest/knowledge/values';
import { aFakeEmbeddingProvider, aTenantsView, describeEmbeddingProvider } from '@palimpsest/test-kit';
import fc from 'fast-check';
import { redisCachedEmbeddings } from '../src/redis-cached-embeddings.ts';
import type { RedisCacheOptions } from '../src/redis-cache-options.ts';
import { aPrefix, PATIENT_MS, startRedis } from '../test/redis-server.ts';

const SECRET = 'a secret of thirty-two characters and more';
const TENANT = tenantId('acme');
let server: Awaited<ReturnType<typeof startRedis>>;
let bare: Redis;
beforeAll(async () => {
  server = await startRedis();
  bare = new Redis(server.url, { maxRetriesPerRequest: 1 });
  await bare.ping();
}, 180_000);
afterAll(async () => {
  if (bare.status !== 'ready') return bare.disconnect();
  const keys = await bare.keys('palimpsest-test:*');
  if (keys.length > 0) await bare.del(keys);
  bare.disconnect();
  await server.dispose();
});

const options = (more: Partial<RedisCacheOptions> = {}): RedisCacheOptions => ({
  url: server.url,
  keyPrefix: aPrefix(),
  timeoutMs: PATIENT_MS,
  secret: SECRET,
  ...more,
});
const aCache = (given: RedisCacheOptions) => {
  const provider = aFakeEmbeddingProvider();
  return { cache: redisCachedEmbeddings(provider, given), asked: () => provider.calls.map(({ texts }) => texts) };
};
/** Fills the cache like another process. */
const warmedWith = async (texts: readonly string[], given: RedisCacheOptions): Promise<void> => {
  const { cache } = aCache(given);
  await cache.forTenant(TENANT).embed(texts, 'passage');
  await cache.close();
};
const valuesBelow = async (prefix: string) => {
  const keys = await bare.keys(`${prefix}*`);
  return Promise.all(keys.map(async (key) => ({ key, value: (await bare.getBuffer(key)) ?? Buffer.alloc(0), ttl: await bare.ttl(key) })));
};

describeEmbeddingProvider('redisCachedEmbeddings', {
  open: () => aTenantsView(redisCachedEmbeddings(aFakeEmbeddingProvider(), options()), TENANT),
  openWithWrongWidth: () => aTenantsView(redisCachedEmbeddings(aFakeEmbeddingProvider({ answeredWidth: 7 }), options()), TENANT),
  longText: 'word '.repeat(600),
});

describe('embeddings in Redis', () => {
  it('are computed once for all processes', async () => {
    const given = options();
    await warmedWith(['a', 'b'], given);
    const { cache, asked } = aCache(given);
    const embeddings = await cache.forTenant(TENANT).embed(['b', 'c', 'a', 'c'], 'passage');
    expect(asked()).toEqual([['c']]);
    expect(embeddings).toEqual(await aFakeEmbeddingProvider().embed(['b', 'c', 'a', 'c'], 'passage'));
    expect(cache.stats()).toMatchObject({ hits: 2, misses: 1, corrupt: 0, faults: 0 });
    await cache.close();
  });

  it('equal those of the provider, whatever is cached and in any order', async () => {
    const { cache } = aCache(options());
    const someTexts = fc.array(fc.constantFrom('a', 'b', 'c', 'd', '\ud800', '\ud801', 'word '.repeat(600)), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(someTexts, fc.constantFrom('query' as const, 'passage' as const), async (texts, kind) => {
        expect(await cache.forTenant(TENANT).embed(texts, kind)).toEqual(await aFakeEmbeddingProvider().embed(texts, kind));
      }),
      { numRuns: 40 },
    );
    expect(cache.stats().hits).toBeGreaterThan(0);
    await cache.close();
  });

  it('are stored under keys without the text, and expire', async () => {
    const given = options({ ttlSeconds: 100 });
    await warmedWith(['confidential'], given);
    const [found, ...others] = await valuesBelow(given.keyPrefix ?? '');
    expect(others).toEqual([]);
    expect(found?.key).not.toContain('confidential');
    expect(found?.ttl).toBeGreaterThan(0);
    expect(found?.ttl).toBeLessThanOrEqual(100);
  });

  it('are removed for one tenant, also those of other models and processes', async () => {
    const given = options();
    const other = tenantId('other');
    await warmedWith(['a', 'b'], given);
    const { cache, asked } = aCache(given);
    await cache.forTenant(other).embed(['a'], 'passage');
    expect(await valuesBelow(given.keyPrefix ?? '')).toHaveLength(3);
    await cache.forget(TENANT);
    expect(await valuesBelow(given.keyPrefix ?? '')).toHaveLength(1);
    await cache.forTenant(TENANT).embed(['a'], 'passage');
    await cache.forTenant(other).embed(['a'], 'passage');
    expect(asked()).toEqual([['a'], ['a']]);
    await cache.close();
  });

  it('are computed again if the stored values are corrupt', async () => {
    const texts = ['a', 'b', 'c', 'd', 'e'];
    const given = options();
    await warmedWith(texts, given);
    const found = await valuesBelow(given.keyPrefix ?? '');
    const spoiled = found.map(({ key, value }, i) => {
      if (i === 0) return { key, value: Buffer.from('nonsense') };
      if (i === 1) return { key, value: Buffer.alloc(0) };
      if (i === 2) return { key, value: value.subarray(0, -1) };
      if (i === 3) return { key, value: value.map((byte, at) => (at === 20 ? byte ^ 1 : byte)) };
      return { key, value: found[0]?.value ?? value };
    });
    for (const { key, value } of spoiled) await bare.set(key, Buffer.from(value));
    const { cache } = aCache(given);
    expect(await cache.forTenant(TENANT).embed(texts, 'passage')).toEqual(await aFakeEmbeddingProvider().embed(texts, 'passage'));
    expect(cache.stats()).toMatchObject({ hits: 0, misses: 5, corrupt: 5, faults: 0 });
    await cache.close();
    const healed = aCache(given);
    await healed.cache.forTenant(TENANT).embed(texts, 'passage');
    expect(healed.asked()).toEqual([]);
    await healed.cache.close();
  });

  it('are computed again if another program uses the key for something else', async () => {
    const given = options();
    await warmedWith(['a'], given);
    const [found] = await valuesBelow(given.keyPrefix ?? '');
    await bare.del(found?.key ?? '');
    await bare.lpush(found?.key ?? '', 'a list');
    const { cache } = aCache(given);
    expect(await cache.forTenant(TENANT).embed(['a'], 'passage')).toEqual(await aFakeEmbeddingProvider().embed(['a'], 'passage'));
    await cache.close();
  });

  it('are read and written in batches', async () => {
    const texts = Array.from({ length: 700 }, (_, i) => `text ${i}`);
    const given = options();
    await warmedWith(texts, given);
    const { cache, asked } = aCache(given);
    expect(await cache.forTenant(TENANT).embed(texts, 'passage')).toEqual(await aFakeEmbeddingProvider().embed(texts, 'passage'));
    expect(asked()).toEqual([]);
    await cache.close();
  });
});

describe('a secret', () => {
  it('hides the vector, also from processes with another secret', async () => {
    const keyPrefix = aPrefix();
    await warmedWith(['a'], options({ keyPrefix }));
    const [embedding] = await aFakeEmbeddingProvider().embed(['a'], 'passage');
    const floats = Buffer.from(embedding?.vector.buffer ?? new ArrayBuffer(1));
    const sealed = await valuesBelow(keyPrefix);
    expect(sealed).toHaveLength(1);
    expect(sealed[0]?.value.includes(floats.subarray(0, 16))).toBe(false);
    const { cache, asked } = aCache(options({ keyPrefix, secret: `${SECRET} that is another` }));
    await cache.forTenant(TENANT).embed(['a'], 'passage');
    expect(asked()).toEqual([['a']]);
    await cache.close();
  });

  it('hides the embeddings of one tenant from every other tenant', async () => {
    const given = options();
    await warmedWith(['a'], given);
    const { cache, asked } = aCache(given);
    await cache.forTenant(tenantId('other')).embed(['a'], 'passage');
    expect(asked()).toEqual([['a']]);
    expect(cache.stats()).toMatchObject({ hits: 0, misses: 1 });
    await cache.close();
  });
});
