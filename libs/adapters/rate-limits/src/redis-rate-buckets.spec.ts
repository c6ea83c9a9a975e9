import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { redisRateBuckets } from './redis-rate-buckets.ts';

const RULE = { limit: 2, windowSeconds: 60 };

/** Accepts connections and never responds. */
const aSilentServer = async (): Promise<Readonly<{ url: string; server: Server }>> => {
  const server = createServer((socket) => void socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
};

describe('rate buckets on Redis', () => {
  it.each(['http://127.0.0.1', 'redis://', 'nonsense secret'])('refuse an invalid URL without repeating it: %s', (url) => {
    expect(() => redisRateBuckets({ url })).toThrow(InvalidValue);
    expect(() => redisRateBuckets({ url })).not.toThrow(/secret/);
  });

  it('fall back to this process if Redis cannot be reached', async () => {
    const faults: Error[] = [];
    const buckets = redisRateBuckets({ url: 'redis://127.0.0.1:1', onFault: (fault) => faults.push(fault) });
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push((await buckets.take('a', RULE)).allowed);
    expect(answers).toEqual([true, true, false, false]);
    expect(faults.length).toBeGreaterThan(0);
    await buckets.close();
  });

  it('fall back to this process if Redis does not respond', async () => {
    const { url, server } = await aSilentServer();
    const buckets = redisRateBuckets({ url, timeoutMs: 20 });
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push((await buckets.take('a', RULE)).allowed);
    expect(answers).toEqual([true, true, false]);
    await buckets.close();
    server.close();
  });
});
