/**
 * The message bus on SQLite: the cost of a delivery with a short and with a long queue, the gain of a shared flush, and how
 * long the event loop is blocked. Ratios within one run; one or two seconds each.
 * Run: npx node --conditions=@palimpsest/source tools/bench/message-bus.mjs
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openSqliteMessageBus } from '@palimpsest/adapters-sqlite';

const folder = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
const bus = await openSqliteMessageBus({ file: join(folder, 'queues.db') });
const body = JSON.stringify({ text: 'x'.repeat(500) });
const messages = (from, count) =>
  Array.from({ length: count }, (_, i) => ({ id: `${from + i}`, key: `key ${(from + i) % 3_000}`, headers: {}, body }));
const timed = async (act) => {
  const started = performance.now();
  await act();
  return performance.now() - started;
};

const ROUNDS = 7;
const SLICE = 250;

const fill = async (topic, queued) => {
  await bus.subscribe(topic, 'group');
  for (let from = 0; from < queued; from += 500) await bus.publish(topic, messages(from, Math.min(500, queued - from)));
};

/** Microseconds per message of the next `SLICE` deliveries or slightly more. */
const delivery = async (topic) => {
  let seen = 0;
  const ms = await timed(async () => {
    const { promise, resolve } = Promise.withResolvers();
    const consumer = await bus.consume({ topic, group: 'group', batchSize: 10, concurrency: 4 }, async (batch) => {
      seen += batch.length;
      if (seen >= SLICE) resolve();
    });
    await promise;
    await consumer.stop();
  });
  return (1_000 * ms) / seen;
};
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

await fill('short', 3_000);
await fill('long', 30_000);
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const times = { short: [], long: [] };
for (let round = 0; round < ROUNDS; round += 1) for (const [topic, slices] of Object.entries(times)) slices.push(await delivery(topic));
const [short, long] = [median(times.short), median(times.long)];
console.log(`delivery, 3,000 queued    ${short.toFixed(0)} µs`);
console.log(`delivery, 30,000 queued   ${long.toFixed(0)} µs   ${(long / short).toFixed(2)} x`);

const COUNT = 300;
const oneByOne = await timed(async () => {
  for (const message of messages(0, COUNT)) await bus.publish('alone', [message]);
});
const together = await timed(() => Promise.all(messages(0, COUNT).map((message) => bus.publish('together', [message]))));
console.log(`publish sequentially      ${((1_000 * oneByOne) / COUNT).toFixed(0)} µs`);
console.log(`publish concurrently      ${((1_000 * together) / COUNT).toFixed(0)} µs   ${(together / oneByOne).toFixed(2)} x`);
console.log(`event loop blocked        p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms, max ${(delay.max / 1e6).toFixed(1)} ms`);

await bus.close();
await rm(folder, { recursive: true });
