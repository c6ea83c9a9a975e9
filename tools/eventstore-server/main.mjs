/**
 * A TEST TOOL, not for production: one node that speaks the gRPC protocol of EventStoreDB to the official client, on SQLite.
 *
 *   node tools/eventstore-server/main.mjs --data <folder> [--port <number>] [--version 23.10.6]
 *
 * Without `--port` it takes a free one the first time, and the same again when it is started on the same folder.
 * Prints `control http://...` (faults, see README.md) and, when it listens, `ready esdb://...`. No authentication, no TLS,
 * no persistent subscriptions, projections, scavenge or cluster.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startControl } from './control.mjs';
import { startServer } from './server.mjs';

const { values } = parseArgs({ options: { data: { type: 'string' }, port: { type: 'string' }, version: { type: 'string' } } });

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
const server = await startServer({ file: join(values.data, 'events.db'), port, ...(values.version ? { version: values.version } : {}) });
writeFileSync(portFile, String(server.port));
const control = await startControl(server.faults);
console.log(`control ${control.url}`);
console.log(`ready esdb://127.0.0.1:${server.port}?tls=false`);

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    control.stop();
    server.stop();
    process.exit(0);
  });
