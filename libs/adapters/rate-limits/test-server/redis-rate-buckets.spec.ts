import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '@palimpsest/foundation';
import type { RateBuckets } from '@palimpsest/knowledge/limits';
import { describeRateBuckets, ServerProcess } from '@palimpsest/test-kit';
import { redisRateBuckets } from '../src/redis-rate-buckets.ts';

/** Long enough for a busy machine. */
const PATIENT_MS = 10_000;

let folder: string;
let server: ServerProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-rates-'));
  server = await ServerProcess.start('redis', ['--data', folder, '--port', String(20_000 + Math.floor(Math.random() * 10_000))]);
}, 180_000);
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

describeRateBuckets('Redis', async () => {
  const opened: RateBuckets[] = [];
  const keyPrefix = `test:${randomUUID()}:`;
  return {
    open: async () => {
      const buckets = redisRateBuckets({ url: server.address, keyPrefix, timeoutMs: PATIENT_MS });
      opened.push(buckets);
      return buckets;
    },
    shared: true,
    dispose: async () => {
      for (const buckets of opened) await buckets.close();
    },
  };
});

describe('rate buckets on Redis', () => {
  it('keep counting while Redis is down, and use it again after its restart', async () => {
    const rule = { limit: 3, windowSeconds: 3_600 };
    const options = { url: server.address, keyPrefix: `test:${randomUUID()}:`, timeoutMs: PATIENT_MS, restMs: 50 };
    const [one, other] = [redisRateBuckets(options), redisRateBuckets(options)];
    expect([(await one.take('a', rule)).remaining, (await other.take('a', rule)).remaining]).toEqual([2, 1]);
    await server.kill();
    // Each process counts on its own: no caller is locked out, or gets more than the limit from one process.
    for (const buckets of [one, other]) {
      const passed = [];
      for (let i = 0; i < 5; i++) passed.push((await buckets.take('a', rule)).allowed);
      expect(passed.filter(Boolean).length).toBe(3);
    }
    await server.restart();
    const isShared = async (): Promise<boolean> => {
      const key = randomUUID();
      await one.take(key, rule);
      return (await other.take(key, rule)).remaining === 1;
    };
    // The timeout of the suite limits this loop.
    while (!(await isShared())) await pause(50);
    await one.close();
    await other.close();
  });
});
