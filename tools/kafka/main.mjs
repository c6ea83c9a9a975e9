/**
 * A TEST TOOL, NOT FOR PRODUCTION: a real Apache Kafka (KRaft) without Docker, from Maven Central, with one or three nodes
 * on this machine, no passwords, short timeouts.
 *
 * node tools/kafka/main.mjs --data <folder> [--brokers 1|3] [--port <first>]
 *
 * Prints `control http://…` and, when every node answers, `ready host:port[,host:port…]`. No broker outlives it.
 */
import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { startCluster } from './cluster.mjs';
import { serveControl } from './control.mjs';

const { values } = parseArgs({
  options: { data: { type: 'string' }, brokers: { type: 'string', default: '1' }, port: { type: 'string' } },
});
if (!values.data || !['1', '3'].includes(values.brokers) || (values.port !== undefined && !/^\d+$/.test(values.port))) {
  console.error('usage: node tools/kafka/main.mjs --data <folder> [--brokers 1|3] [--port <first>]');
  process.exit(2);
}
await mkdir(values.data, { recursive: true });
const cluster = await startCluster(values.data, { brokers: Number(values.brokers), port: Number(values.port ?? 0) });
console.log(`control ${await serveControl(cluster)}`);
console.log(`ready ${cluster.addresses.join(',')}`);

/** A second signal exits immediately. */
let ending = false;
for (const signal of ['SIGTERM', 'SIGINT'])
  process.on(signal, async () => {
    if (ending) process.exit(1);
    ending = true;
    await Promise.all(cluster.brokers.map((broker) => broker.end('SIGKILL')));
    process.exit(0);
  });
