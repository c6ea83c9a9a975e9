import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RateBuckets } from '@palimpsest/knowledge';
import { describeRateBuckets, ServerProcess } from '@palimpsest/test-kit';
import { redisRateBuckets } from '../src/redis-rate-buckets.ts';

/** No test is to fail because the machine is busy. */
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

describe('when Redis', () => {
  it('is killed and comes back, requests go on being counted, and it is used again', async () => {
    const rule = { limit: 3, windowSeconds: 3_600 };
    const options = { url: server.address, keyPrefix: `test:${randomUUID()}:`, timeoutMs: PATIENT_MS, restMs: 50 };
    const [one, other] = [redisRateBuckets(options), redisRateBuckets(options)];
    expect([(await one.take('a', rule)).remaining, (await other.take('a', rule)).remaining]).toEqual([2, 1]);
    await server.kill();
    // Each counts by itself: nobody is locked out, and nobody gets more than the limit from one process.
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
    // The suite's own time-out ends it.
    while (!(await isShared())) await new Promise((resolve) => setTimeout(resolve, 50));
    await one.close();
    await other.close();
  });
});
