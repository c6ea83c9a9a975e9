/** The servers that an installation needs: each a test server of ours, or a real one whose address is in the environment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inRoot } from '../setup/workspace.mjs';
import { startChild } from './child.mjs';

const READY = /^ready (\S+)$/;
const tool = (name, args) => startChild(inRoot('tools', name, 'main.mjs'), args, { ready: READY, name });

/** On first use, a server must be built or downloaded, which takes longer than any server may take to start. */
const build = async (name) => {
  const child = spawn(process.execPath, [inRoot('tools', name, 'build.mjs')], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`tools/${name}/build.mjs failed`);
};

const portOf = (address) => /:(\d+)/.exec(address)?.[1] ?? '';

/** @returns {Promise<{ child?: import('./child.d.mts').Child, address: string, lines: Record<string, string> }>} */
const given = (address, lines = {}) => ({ address, lines });

/** An S3 store from the environment, with the same variables as the tests of `libs/adapters/s3`. */
const s3FromEnvironment = (env) =>
  given(env.S3_ENDPOINT, {
    bucket: env.S3_BUCKET ?? 'palimpsest',
    region: env.S3_REGION ?? 'us-east-1',
    'access-key': env.S3_ACCESS_KEY_ID ?? '',
    'secret-key': env.S3_SECRET_ACCESS_KEY ?? '',
  });

/**
 * @param {string} folder what the servers keep
 * @param {string} folder data of the servers
 * @returns {Promise<import('./servers.d.mts').Servers>}
 */
export const startServers = async (folder, { brokers = 1, env = process.env, without = [] } = {}) => {
  await mkdir(folder, { recursive: true });
  if (!env.S3_ENDPOINT) await build('s3');
  const own = [];
  const start = async (name, args) => {
    const data = join(folder, name);
    await mkdir(data, { recursive: true });
    const run = (...more) => tool(name, ['--data', data, ...args, ...more]);
    let child = await run();
    const { address } = child;
    const server = {
      address,
      get child() {
        return child;
      },
      get lines() {
        return child.lines;
      },
      startAgain: async () => {
        child = await run('--port', portOf(address));
      },
    };
    own.push(server);
    return server;
  };
  const stop = async () => {
    await Promise.all(own.map(({ child }) => child.stop()));
  };
  try {
    const [kafka, eventStore, qdrant, s3] = await Promise.all([
      env.KAFKA_BROKERS ? given(env.KAFKA_BROKERS) : start('kafka', ['--brokers', String(brokers)]),
      without.includes('eventstore') ? given('') : env.EVENTSTORE_URL ? given(env.EVENTSTORE_URL) : start('eventstore-server', []),
      env.QDRANT_URL ? given(env.QDRANT_URL) : start('qdrant-server', []),
      env.S3_ENDPOINT ? s3FromEnvironment(env) : start('s3', []),
    ]);
    return { kafka, eventStore, qdrant, s3, replication: env.KAFKA_BROKERS ? 1 : brokers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

/** The settings with which a service uses these servers. */
export const serverSettings = ({ kafka, eventStore, qdrant, s3, replication }) => ({
  PALIMPSEST_KAFKA_BROKERS: kafka.address,
  PALIMPSEST_KAFKA_REPLICATION: String(replication),
  PALIMPSEST_EVENTSTORE_URL: eventStore.address,
  PALIMPSEST_QDRANT_URL: qdrant.address,
  ...(process.env.QDRANT_API_KEY && qdrant.child === undefined ? { PALIMPSEST_QDRANT_API_KEY: process.env.QDRANT_API_KEY } : {}),
  PALIMPSEST_S3_ENDPOINT: s3.address,
  PALIMPSEST_S3_BUCKET: s3.lines.bucket,
  PALIMPSEST_S3_REGION: s3.lines.region,
  PALIMPSEST_S3_ACCESS_KEY_ID: s3.lines['access-key'],
  PALIMPSEST_S3_SECRET_ACCESS_KEY: s3.lines['secret-key'],
});
