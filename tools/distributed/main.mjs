/**
 * `npm run distributed`: a complete distributed installation on this machine, for evaluation. A real Kafka, test servers for
 * EventStoreDB and Qdrant (or real ones at the addresses in EVENTSTORE_URL, QDRANT_URL, KAFKA_BROKERS, S3_ENDPOINT), an
 * S3-compatible store, and the three services, ingestion and query twice, behind one address.
 *
 *   npm run distributed [-- --data <folder>] [--port 7330] [--ingestion 2] [--query 2] [--reembedding 1] [--verbose]
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startInstallation } from './installation.mjs';
import { startServers } from './servers.mjs';

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '.palimpsest-distributed' },
    port: { type: 'string', default: '7330' },
    brokers: { type: 'string', default: '1' },
    ingestion: { type: 'string', default: '2' },
    query: { type: 'string', default: '2' },
    reembedding: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
  },
});
const data = resolve(values.data);
const say = (line) => process.stdout.write(`${line}\n`);

let [servers, installation] = [];
const stop = async (code) => {
  await installation?.stop();
  await servers?.stop();
  process.exit(code);
};
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => (say(`${signal}: stopping services, then servers`), void stop(0)));

try {
  say(`Starting Kafka, EventStoreDB, Qdrant and an S3 store (test servers, unless the environment names real ones) on ${data}`);
  servers = await startServers(join(data, 'servers'), { brokers: Number(values.brokers) });
  for (const [name, { address }] of Object.entries(servers)) if (address) say(`  ${name.padEnd(11)} ${address}`);
  say('Starting the services');
  const replicas = { ingestion: Number(values.ingestion), reembedding: Number(values.reembedding), query: Number(values.query) };
  const onLine = values.verbose ? (name, text) => process.stderr.write(text.replaceAll(/^(?=.)/gm, `${name} `)) : undefined;
  // Settings of the services in the environment are passed on.
  const settings = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('PALIMPSEST_')));
  installation = await startInstallation({
    servers,
    folder: join(data, 'services'),
    replicas,
    port: Number(values.port),
    settings,
    ...(onLine ? { onLine } : {}),
  });
  for (const { service, replica, child } of installation.slots) say(`  ${service}-${replica}`.padEnd(16) + child.address);
  // The command line looks here for the server of this machine.
  await mkdir(join(data, 'keys'), { recursive: true, mode: 0o700 });
  await writeFile(join(data, 'keys', 'local-api-key'), `${installation.key}\n`, { mode: 0o600 });
  await writeFile(
    join(data, 'server.json'),
    `${JSON.stringify({ url: installation.url, pid: process.pid, startedAt: new Date().toISOString() })}\n`,
    { mode: 0o600 },
  );
  say(`Palimpsest listens on ${installation.url}`);
  say(`Try:  PALIMPSEST_DATA=${data} npx palimpsest ingest <a folder>`);
  say(`      PALIMPSEST_DATA=${data} npx palimpsest search "a question"`);
} catch (error) {
  process.stderr.write(`distributed: ${error.message}\n`);
  await stop(1);
}
