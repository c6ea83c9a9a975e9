import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServers } from '../../distributed/servers.mjs';
import { freePort } from '../../s3/leash.mjs';
import { startServices, untilReady } from './distributed-setup.mjs';
import { PlatformProcess } from './platform-process.mjs';

/** The embedded platform as one that can be killed: it comes back on the same folder and port. */
export const killableEmbedded = async (root, settings) => {
  const fixed = { ...settings, PALIMPSEST_PORT: String(await freePort()), PALIMPSEST_LOG_LEVEL: 'fatal' };
  let platform = await PlatformProcess.start(root, fixed);
  return {
    url: platform.url,
    apiKey: platform.apiKey,
    replicas: () => [platform.url],
    ask: (...request) => platform.ask(...request),
    submit: (documents) => platform.submit(documents),
    settled: (total) => platform.settled(total),
    kill: async () => {
      await platform.stop('SIGKILL');
      platform = await PlatformProcess.start(root, fixed);
    },
    close: () => platform.stop('SIGKILL'),
  };
};

/** How often each service runs: a killed query service is replaced by the other one meanwhile. */
const REPLICAS = { ingestion: 1, reembedding: 1, query: 2 };
const RETRY_MS = 50;

/** Three services with their servers. Each kill hits one process, in turn. */
export const killableServices = async (root, settings) => {
  const servers = await startServers(join(root, 'servers'));
  const installation = await startServices(servers, join(root, 'services'), { ...settings, PALIMPSEST_LOG_LEVEL: 'fatal' }, REPLICAS);
  const { client, slots } = installation;
  let kills = 0;
  /** What a caller does while a service restarts: it sends the request again. */
  const ask = async (...request) => {
    for (;;) {
      const answer = await client.ask(...request).catch((error) => {
        if (!/ 50[023] |fetch failed/.test(error.message)) throw error;
      });
      if (answer !== undefined) return answer;
      await sleep(RETRY_MS);
    }
  };
  return {
    url: installation.url,
    apiKey: installation.key,
    replicas: () => installation.replicasOf('query'),
    ask,
    submit: (documents) => client.submitAll(documents),
    settled: (total) => client.settled(total),
    kill: async () => {
      const slot = slots[kills++ % slots.length];
      await slot.child.kill();
      const child = await installation.start(slot);
      await untilReady(child.address);
    },
    close: async () => {
      await installation.kill();
      await servers.stop();
    },
  };
};
