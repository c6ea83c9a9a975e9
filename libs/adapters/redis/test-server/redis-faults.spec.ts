import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { tenantId } from '@palimpsest/knowledge/values';
import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { redisCachedEmbeddings, type RedisCachedEmbeddings } from '../src/redis-cached-embeddings.ts';
import type { RedisCacheOptions } from '../src/redis-cache-options.ts';
import { aPrefix, PATIENT_MS, startOwnRedis, type RedisServer } from '../test/redis-server.ts';

const SECRET = 'a secret of thirty-two characters and more';
const TENANT = tenantId('acme');
let server: RedisServer;
let cache: RedisCachedEmbeddings;
beforeAll(async () => {
  server = await startOwnRedis();
}, 180_000);
afterAll(() => server.dispose());
afterEach(() => cache.close());

const open = (more: Partial<RedisCacheOptions> = {}): RedisCachedEmbeddings =>
  redisCachedEmbeddings(aFakeEmbeddingProvider(), {
    url: server.url,
    keyPrefix: aPrefix(),
    timeoutMs: PATIENT_MS,
    restMs: 200,
    secret: SECRET,
    ...more,
  });

const expectRight = async (texts: readonly string[]): Promise<void> =>
  expect(await cache.forTenant(TENANT).embed(texts, 'passage')).toEqual(await aFakeEmbeddingProvider().embed(texts, 'passage'));

/** Repeats calls until Redis returns a value again; the timeout of the suite ends it. */
const untilHit = async (): Promise<void> => {
  for (const before = cache.stats().hits; cache.stats().hits === before; await sleep(20)) await expectRight(['after all']);
};

const bareOf = async (act: (bare: Redis) => Promise<unknown>): Promise<void> => {
  const bare = new Redis(server.url);
  await act(bare);
  bare.disconnect();
};

describe('when Redis', () => {
  it('is killed and restarted during calls, every result is right, and it is used again', async () => {
    cache = open();
    let over = false;
    const calling = Array.from({ length: 4 }, async (_, caller) => {
      for (let i = 0; !over; i++) {
        await expectRight([`text ${i % 7}`, `${caller} ${i}`]);
        await sleep(1);
      }
    });
    for (let kill = 0; kill < 3; kill++) {
      await sleep(200);
      await server.process.restart();
    }
    over = true;
    await Promise.all(calling);
    await untilHit();
  });

  it('starts after its clients, it is used from then on', async () => {
    await server.process.kill();
    cache = open();
    for (let i = 0; i < 3; i++) await expectRight([`too early ${i}`]);
    await server.process.restart();
    await untilHit();
  });

  it('is down, a removal is refused, and can be repeated later', async () => {
    cache = open();
    await expectRight(['of a tenant']);
    await server.process.kill();
    await expect(cache.forget(TENANT)).rejects.toMatchObject({ code: 'Unavailable' });
    await server.process.restart();
    await untilHit();
    await cache.forget(TENANT);
  });

  it('hangs, calls continue after the timeout, then without asking, and it is used again', async () => {
    const reported: string[] = [];
    cache = open({ timeoutMs: 30, onFault: ({ message }) => reported.push(message) });
    await untilHit();
    const { faults } = cache.stats();
    const pid = Number(server.process.line('server-pid'));
    process.kill(pid, 'SIGSTOP');
    try {
      for (let i = 0; i < 10; i++) await expectRight([`while it hangs ${i}`]);
      expect(cache.stats().faults).toBeGreaterThanOrEqual(faults + 3);
      expect(cache.stats().skipped).toBeGreaterThan(0);
      expect(reported).toContain('no answer from Redis within 30 ms');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await untilHit();
  });

  it('is full, texts are computed', async () => {
    cache = open();
    await untilHit();
    await bareOf((bare) => bare.config('SET', 'maxmemory', '1'));
    await expectRight(['too much']);
    await bareOf((bare) => bare.config('SET', 'maxmemory', '0'));
    await untilHit();
  });

  it('does not know the password, texts are computed', async () => {
    await bareOf((bare) => bare.config('SET', 'requirepass', 'right'));
    cache = open({ url: server.url.replace('//', '//:wrong@') });
    for (const text of ['a', 'b', 'a']) await expectRight([text]);
    expect(cache.stats()).toMatchObject({ hits: 0, misses: 3, written: 0 });
    await server.process.restart();
  });

  it('is slow, an aborted call ends immediately', async () => {
    cache = open();
    await untilHit();
    const pid = Number(server.process.line('server-pid'));
    process.kill(pid, 'SIGSTOP');
    try {
      const controller = new AbortController();
      const reason = new Error('changed my mind');
      const given = cache.forTenant(TENANT).embed(['a'], 'passage', controller.signal);
      controller.abort(reason);
      await expect(given).rejects.toBe(reason);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });
});

it('no Redis server outlives its tool', async () => {
  cache = open();
  const pid = Number(server.process.line('server-pid'));
  expect(process.kill(pid, 0)).toBe(true);
  await server.process.kill();
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  await server.process.restart();
});
