import { randomBytes } from 'node:crypto';
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import { Broker } from './broker.mjs';
import { ARCHIVE, recordArchive } from './java.mjs';

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Ids and ports of all nodes. Kept in the data folder, so that clients find the nodes after a restart. */
const planOf = async (data, { brokers, port }) => {
  const file = join(data, 'cluster.json');
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept !== undefined) return JSON.parse(kept);
  const nodes = [];
  for (let id = 1; id <= brokers; id++) nodes.push({ id, port: port ? port + id - 1 : await freePort(), controllerPort: await freePort() });
  const plan = { clusterId: randomBytes(16).toString('base64url'), nodes };
  await mkdir(data, { recursive: true });
  await writeFile(file, JSON.stringify(plan));
  return plan;
};

/** The state that the cluster reports: its nodes, and the leaders of partitions. */
export const describe = async (addresses) => {
  const admin = new Kafka({ brokers: addresses, logLevel: logLevel.NOTHING, requestTimeout: 3_000 }).admin({ retry: { retries: 0 } });
  try {
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    const { topics } = await admin.fetchTopicMetadata();
    return { alive: brokers.map(({ nodeId }) => nodeId), topics };
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
};

/** Runs a broker once only to record its loaded classes, which every later start uses. */
const makeArchive = async () => {
  if (
    await access(ARCHIVE).then(
      () => true,
      () => false,
    )
  )
    return;
  const data = await mkdtemp(join(tmpdir(), 'kafka-archive-'));
  const broker = new Broker(data, await planOf(data, { brokers: 1 }), 1);
  const { options, publish } = recordArchive();
  await broker.start(options);
  await broker.end('SIGTERM');
  await publish();
  await rm(data, { recursive: true, force: true });
};

/** Starts all nodes; resolves when each of them knows all others. */
export const startCluster = async (data, options) => {
  await makeArchive();
  const plan = await planOf(data, options);
  const brokers = plan.nodes.map(({ id }) => new Broker(data, plan, id));
  await Promise.all(brokers.map((broker) => broker.start()));
  const addresses = plan.nodes.map(({ port }) => `127.0.0.1:${port}`);
  for (const address of addresses)
    while ((await describe([address]).catch(() => ({ alive: [] }))).alive.length < brokers.length) await sleep(100);
  return { addresses, brokers };
};
