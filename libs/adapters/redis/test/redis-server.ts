import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerProcess } from '@palimpsest/test-kit';

export type RedisServer = Readonly<{ url: string; process: ServerProcess; dispose: () => Promise<void> }>;

/** The repository's own server, which tests may damage. It is downloaded on first use. */
export const startOwnRedis = async (): Promise<RedisServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-redis-'));
  const port = String(20_000 + Math.floor(Math.random() * 10_000));
  const server = await ServerProcess.start('redis', ['--data', folder, '--port', port]);
  const dispose = async (): Promise<void> => {
    await server.stop();
    await rm(folder, { recursive: true });
  };
  return { url: server.address, process: server, dispose };
};

/** The server that the environment names, or our own: for the kits. */
export const startRedis = async (): Promise<Pick<RedisServer, 'url' | 'dispose'>> => {
  const url = process.env['REDIS_URL'];
  return url ? { url, dispose: async () => undefined } : startOwnRedis();
};

export const aPrefix = (): string => `palimpsest-test:${randomUUID()}:`;

/** No test may fail because the machine is busy. Timeouts are tested with a Redis that never answers. */
export const PATIENT_MS = 5_000;
