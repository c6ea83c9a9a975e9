/**
 * A TEST TOOL, not for production: a server that speaks the gRPC protocol of EventStoreDB to the official client, on SQLite; with
 * --cluster, three nodes, one of them the leader.
 *
 *   node tools/eventstore-server/main.mjs --data <folder> [--port <number>] [--version 23.10.6]
 *   node tools/eventstore-server/main.mjs --data <folder> --cluster [--lost-after 1000] [--election 500] [--restart 500]
 *
 * Without `--port`, it chooses a free port the first time, and reuses it when it is started on the same folder.
 * Prints `control http://...` (see README.md) and, when it listens, `ready esdb://...`. No authentication, no TLS, no
 * persistent subscriptions, projections or scavenge.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Cluster, startClusterControl } from './cluster/cluster.mjs';
import { startControl } from './control.mjs';
import { startServer } from './server.mjs';

const ms = (byDefault) => ({ type: 'string', default: byDefault });
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    port: { type: 'string' },
    version: { type: 'string' },
    cluster: { type: 'boolean', default: false },
    'lost-after': ms('1000'),
    election: ms('500'),
    restart: ms('500'),
  },
});

const portFile = values.data && join(values.data, 'port');
const lastPort = () => {
  try {
    return readFileSync(portFile, 'utf8');
  } catch {
    return '0';
  }
};
const port = Number(values.port ?? (portFile ? lastPort() : NaN));
if (!values.data || !Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error('usage: node tools/eventstore-server/main.mjs --data <folder> [--port <number>]');
  process.exit(2);
}

mkdirSync(values.data, { recursive: true });
const runAlone = async () => {
  const server = await startServer({ file: join(values.data, 'events.db'), port, ...(values.version ? { version: values.version } : {}) });
  writeFileSync(portFile, String(server.port));
  const control = await startControl(server.faults);
  return { control, address: `127.0.0.1:${server.port}`, stop: () => server.stop() };
};

const runCluster = async () => {
  const times = { lostAfterMs: Number(values['lost-after']), electionMs: Number(values.election), restartMs: Number(values.restart) };
  const cluster = new Cluster({ folder: values.data, ...times, version: values.version });
  process.on('exit', () => cluster.stop());
  await cluster.start();
  return { control: await startClusterControl(cluster), address: cluster.addresses.join(','), stop: () => cluster.stop() };
};

const { control, address, stop } = await (values.cluster ? runCluster() : runAlone());
console.log(`control ${control.url}`);
console.log(`ready esdb://${address}?tls=false`);

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    control.stop();
    stop();
    process.exit(0);
  });
