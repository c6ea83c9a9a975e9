/**
 * Compares the bus on Kafka with the bare client, in one run on one broker: publishing batches of 100 messages of 1 KB, and
 * consuming them with 8 concurrent handler calls of 64 messages, with an empty handler and with one that takes 5 ms. tools/kafka starts the
 * broker, unless KAFKA_BROKERS names one. About half a minute.
 * Run: npx node --conditions=@palimpsest/source tools/bench/kafka.mjs
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openKafkaMessageBus } from '@palimpsest/adapters-kafka';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { median, timed } from './lib/figures.mjs';

const ROUNDS = 5;
const BATCHES = 60;
const PUBLISHERS = 4;
const QUEUED = 20_000;
const PARTITIONS = 6;
const CONCURRENCY = 8;
const BATCH_SIZE = 64;
const HANDLER_MS = 5;

const startBroker = async () => {
  const data = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
  const main = fileURLToPath(new URL('../kafka/main.mjs', import.meta.url));
  const child = spawn(process.execPath, [main, '--data', data], { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('ready '))
      return {
        brokers: line.slice('ready '.length).split(','),
        stop: async () => {
          const exited = new Promise((resolve) => child.once('exit', resolve));
          child.kill('SIGTERM');
          await exited;
          await rm(data, { recursive: true, force: true });
        },
      };
  throw new Error('tools/kafka did not start');
};

const given = process.env.KAFKA_BROKERS;
const broker = given ? { brokers: given.split(','), stop: async () => undefined } : await startBroker();
const prefix = `bench-${Date.now()}.`;
const bus = await openKafkaMessageBus({ brokers: broker.brokers, prefix, partitions: PARTITIONS });
const kafka = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING });
const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
await producer.connect();

const body = JSON.stringify({ text: 'x'.repeat(1_000) });
let made = 0;
const batch = () => Array.from({ length: 100 }, () => ({ id: `${(made += 1)}`, key: `key ${made % 3_000}`, headers: {}, body }));
const bare = ({ id, key, body: value }) => ({ key, value, headers: { id } });

/** Messages per second of `PUBLISHERS` that publish batches sequentially. */
const publishing = async (publish) => {
  const batches = Array.from({ length: BATCHES }, batch);
  const { ms } = await timed(() =>
    Promise.all(
      Array.from({ length: PUBLISHERS }, async () => {
        for (let one = batches.pop(); one; one = batches.pop()) await publish(one);
      }),
    ),
  );
  return (BATCHES * 100 * 1_000) / ms;
};

/** Messages per second from the first to the last of the queue; `consume` receives the handler and returns a function that stops it. */
const consuming = async (consume, handlerMs) => {
  const { promise, resolve } = Promise.withResolvers();
  let seen = 0;
  let first = 0;
  const stop = await consume(async (count) => {
    first ||= performance.now();
    if (handlerMs > 0) await sleep(handlerMs);
    seen += count;
    if (seen >= QUEUED) resolve(performance.now());
  });
  const ms = (await promise) - first;
  await stop();
  return (QUEUED * 1_000) / ms;
};

/** Like a careful user of the bare client: in parts, each committed after it was handled. */
const bareConsumer = (group) => async (handle) => {
  const consumer = kafka.consumer({ groupId: group, maxWaitTimeInMs: 250 });
  await consumer.connect();
  await consumer.subscribe({ topics: [`${prefix}queue`], fromBeginning: true });
  await consumer.run({
    autoCommitInterval: 20,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: CONCURRENCY,
    eachBatch: async ({ batch: { messages }, resolveOffset, commitOffsetsIfNecessary, heartbeat }) => {
      for (let at = 0; at < messages.length; at += BATCH_SIZE) {
        const part = messages.slice(at, at + BATCH_SIZE);
        await handle(part.map(({ key, value, headers }) => ({ id: String(headers.id), key: String(key), body: String(value) })).length);
        resolveOffset(part.at(-1).offset);
        await commitOffsetsIfNecessary();
        await heartbeat();
      }
    },
  });
  return () => consumer.disconnect();
};

const busConsumer = (group) => async (handle) => {
  const options = { topic: 'queue', group, concurrency: CONCURRENCY, batchSize: BATCH_SIZE };
  const consumer = await bus.consume(options, (deliveries) => handle(deliveries.length));
  return () => consumer.stop();
};

const measures = {
  publish: {
    adapter: () => publishing((messages) => bus.publish('published', messages)),
    'bare client': () => publishing((messages) => producer.send({ topic: `${prefix}published`, acks: -1, messages: messages.map(bare) })),
  },
  'consume, empty handler': {
    adapter: (round) => consuming(busConsumer(`empty ${round}`), 0),
    'bare client': (round) => consuming(bareConsumer(`${prefix}empty ${round}`), 0),
  },
  [`consume, handler of ${HANDLER_MS} ms`]: {
    adapter: (round) => consuming(busConsumer(`slow ${round}`), HANDLER_MS),
    'bare client': (round) => consuming(bareConsumer(`${prefix}slow ${round}`), HANDLER_MS),
  },
};

// a group that subscribes later would not get messages that the known ones have settled
for (let round = 0; round < ROUNDS; round++) for (const kind of ['empty', 'slow']) await bus.subscribe('queue', `${kind} ${round}`);
for (let sent = 0; sent < QUEUED; sent += 1_000) await bus.publish('queue', Array.from({ length: 10 }, batch).flat());
await bus.subscribe('published', 'idle');
await bus.publish('published', batch());
for (const [what, { adapter, 'bare client': client }] of Object.entries(measures)) {
  const rates = { adapter: [], client: [] };
  for (let round = 0; round < ROUNDS; round++) {
    rates.adapter.push(await adapter(round));
    rates.client.push(await client(round));
  }
  const [ours, theirs] = [median(rates.adapter), median(rates.client)];
  console.log(`${what.padEnd(24)} adapter      ${ours.toFixed(0).padStart(7)} messages/s   ${(ours / theirs).toFixed(2)} x`);
  console.log(`${what.padEnd(24)} bare client  ${theirs.toFixed(0).padStart(7)} messages/s`);
}

await producer.disconnect();
await bus.close();
await broker.stop();
