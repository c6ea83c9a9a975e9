import { aFakeEmbeddingProvider, aTenantsView, describeEmbeddingProvider } from '@palimpsest/test-kit';
import { tenantId } from '@palimpsest/knowledge';
import { redisCachedEmbeddings } from './redis-cached-embeddings.ts';

const SECRET = 'a secret of thirty-two characters and more';
const TENANT = tenantId('acme');
/** Nobody listens there. */
const AWAY = 'redis://127.0.0.1:1';

describeEmbeddingProvider('redisCachedEmbeddings while Redis is away', {
  open: () => aTenantsView(redisCachedEmbeddings(aFakeEmbeddingProvider(), { url: AWAY, secret: SECRET }), TENANT),
  openWithWrongWidth: () => aTenantsView(redisCachedEmbeddings(aFakeEmbeddingProvider({ answeredWidth: 7 }), { url: AWAY, secret: SECRET }), TENANT),
  longText: 'word '.repeat(600),
});

describe('redisCachedEmbeddings', () => {
  it.each([
    ['url', { url: 'http://127.0.0.1' }],
    ['url', { url: 'nonsense' }],
    ['ttlSeconds', { url: AWAY, ttlSeconds: 0 }],
    ['timeoutMs', { url: AWAY, timeoutMs: 1.5 }],
    ['restMs', { url: AWAY, restMs: -1 }],
    ['secret', { url: AWAY, secret: 'short' }],
  ])('refuses a wrong %s', (field, options) => {
    expect(() => redisCachedEmbeddings(aFakeEmbeddingProvider(), { secret: SECRET, ...options })).toThrow(
      expect.objectContaining({ code: 'InvalidValue', field }),
    );
  });

  it('repeats no password and no secret when it refuses', () => {
    for (const options of [{ url: 'http://user:hunter2@host' }, { url: AWAY, secret: 'hunter2' }])
      expect(() => redisCachedEmbeddings(aFakeEmbeddingProvider(), { secret: SECRET, ...options })).not.toThrow(/hunter2/);
  });

  it('tells of a Redis that is away, and bears a listener that throws', async () => {
    const told: Error[] = [];
    const onFault = (fault: Error): void => {
      told.push(fault);
      throw new Error('a bad listener');
    };
    const cache = redisCachedEmbeddings(aFakeEmbeddingProvider(), { url: AWAY, secret: SECRET, onFault });
    expect(await cache.forTenant(TENANT).embed(['a'], 'passage')).toHaveLength(1);
    expect(told[0]).toMatchObject({ code: 'ECONNREFUSED' });
    expect(cache.stats()).toMatchObject({ hits: 0, misses: 1, written: 0 });
    await cache.close();
  });

  it.each([
    ['too few embeddings', [], 'Unavailable'],
    ['a vector of another width', [{ vector: new Float32Array(3), tokens: 1, truncated: false }], 'EmbeddingModelMismatch'],
  ])('gives out nothing when the provider gives %s', async (_, answer, code) => {
    const cache = redisCachedEmbeddings({ ...aFakeEmbeddingProvider(), embed: async () => answer }, { url: AWAY, secret: SECRET });
    await expect(cache.forTenant(TENANT).embed(['a'], 'passage')).rejects.toMatchObject({ code });
    await cache.close();
  });

  it('closes the provider', async () => {
    const provider = aFakeEmbeddingProvider();
    await redisCachedEmbeddings(provider, { url: AWAY, secret: SECRET }).close();
    await expect(provider.embed(['a'], 'passage')).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
