import { aFakeEmbeddingProvider, aTenantsView, describeEmbeddingProvider } from '@palimpsest/test-kit';
import { tenantId } from '@palimpsest/knowledge/values';
import { redisCachedEmbeddings } from './redis-cached-embeddings.ts';

const SECRET = 'a secret of thirty-two characters and more';
const TENANT = tenantId('acme');
/** No server listens there. */
const DOWN_URL = 'redis://127.0.0.1:1';

describeEmbeddingProvider('redisCachedEmbeddings while Redis is down', {
  open: () => aTenantsView(redisCachedEmbeddings(aFakeEmbeddingProvider(), { url: DOWN_URL, secret: SECRET }), TENANT),
  openWithWrongWidth: () =>
    aTenantsView(redisCachedEmbeddings(aFakeEmbeddingProvider({ answeredWidth: 7 }), { url: DOWN_URL, secret: SECRET }), TENANT),
  longText: 'word '.repeat(600),
});

describe('redisCachedEmbeddings', () => {
  it.each([
    ['url', { url: 'http://127.0.0.1' }],
    ['url', { url: 'nonsense' }],
    ['ttlSeconds', { url: DOWN_URL, ttlSeconds: 0 }],
    ['timeoutMs', { url: DOWN_URL, timeoutMs: 1.5 }],
    ['restMs', { url: DOWN_URL, restMs: -1 }],
    ['secret', { url: DOWN_URL, secret: 'short' }],
  ])('refuses a wrong %s', (field, options) => {
    expect(() => redisCachedEmbeddings(aFakeEmbeddingProvider(), { secret: SECRET, ...options })).toThrow(
      expect.objectContaining({ code: 'InvalidValue', field }),
    );
  });

  it('does not quote a password or secret in its errors', () => {
    for (const options of [{ url: 'http://user:hunter2@host' }, { url: DOWN_URL, secret: 'hunter2' }])
      expect(() => redisCachedEmbeddings(aFakeEmbeddingProvider(), { secret: SECRET, ...options })).not.toThrow(/hunter2/);
  });

  it('reports that Redis is down, and ignores errors of the listener', async () => {
    const reported: Error[] = [];
    const onFault = (fault: Error): void => {
      reported.push(fault);
      throw new Error('a bad listener');
    };
    const cache = redisCachedEmbeddings(aFakeEmbeddingProvider(), { url: DOWN_URL, secret: SECRET, onFault });
    expect(await cache.forTenant(TENANT).embed(['a'], 'passage')).toHaveLength(1);
    expect(reported[0]).toMatchObject({ code: 'ECONNREFUSED' });
    expect(cache.stats()).toMatchObject({ hits: 0, misses: 1, written: 0 });
    await cache.close();
  });

  it.each([
    ['too few embeddings', [], 'Unavailable'],
    ['a vector of another width', [{ vector: new Float32Array(3), tokens: 1, truncated: false }], 'EmbeddingModelMismatch'],
  ])('fails when the provider returns %s', async (_, answer, code) => {
    const cache = redisCachedEmbeddings({ ...aFakeEmbeddingProvider(), embed: async () => answer }, { url: DOWN_URL, secret: SECRET });
    await expect(cache.forTenant(TENANT).embed(['a'], 'passage')).rejects.toMatchObject({ code });
    await cache.close();
  });

  it('closes the provider', async () => {
    const provider = aFakeEmbeddingProvider();
    await redisCachedEmbeddings(provider, { url: DOWN_URL, secret: SECRET }).close();
    await expect(provider.embed(['a'], 'passage')).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
