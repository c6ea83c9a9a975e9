/**
 * Is the EventStoreDB adapter as fast as its bare client? About 30 s.
 *
 *   node --conditions=@palimpsest/source tools/bench/eventstore.mjs [esdb://...]     (default: starts the test server)
 *
 * One run on one server, alternating. Like the adapter, the bare client appends with exact revisions, but has
 * neither retries nor deadlines. "single call" is the client with credentials per call, which bypasses its shared batch append.
 * Compare ratios; rates are those of the test server on this machine. CPU is that of this process, without the server's.
 */
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { EventStoreDBClient, eventTypeFilter, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { openEventStoreLog } from '@palimpsest/adapters-eventstore';
import { streamName } from '@palimpsest/knowledge/ports';
import { START } from '@palimpsest/knowledge/values';

const ROUNDS = 10;
const WRITERS = 64;
/** Few at a time: with short rounds, other load on the machine affects both alike. */
const EVENTS = { one: 40, many: 256, batches: 500 };
const text = randomBytes(384).toString('base64'); // 512 characters
const folder = mkdtempSync(join(tmpdir(), 'bench-eventstore-'));
const data = { text };
const metadata = { tenant: 'acme', actor: 'bench' };

const startServer = async () => {
  const script = fileURLToPath(new URL('../eventstore-server/main.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, '--data', folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface(child.stdout))
    if (line.startsWith('ready ')) return { url: line.slice(6), stop: () => child.kill() };
  throw new Error('the test server did not start');
};

const given = process.argv[2];
const server = given ? { url: given, stop: () => undefined } : await startServer();
const namespace = `bench${randomUUID().replaceAll('-', '')}`;
const client = EventStoreDBClient.connectionString(server.url);
const log = await openEventStoreLog({ connectionString: server.url, namespace });

/** Appends `count` events with new ids to the end of a stream; -1 for a stream without events. */
const ways = {
  adapter: (stream, expected, count) =>
    log.append(
      streamName('bench', stream),
      Array.from({ length: count }, () => ({ id: randomUUID(), type: 'Noted', data, metadata })),
      expected < 0 ? 'no-stream' : expected,
    ),
  bare: (stream, expected, count, options = {}) =>
    client.appendToStream(
      `${namespace}/bench-${stream}`,
      Array.from({ length: count }, () => jsonEvent({ id: randomUUID(), type: `${namespace}/Noted`, data, metadata })),
      { ...options, expectedRevision: expected < 0 ? NO_STREAM : BigInt(expected) },
    ),
  'single call': (stream, expected, count) => ways.bare(stream, expected, count, { credentials: { username: 'x', password: 'x' } }),
};

const appendInTurn = async (append, stream, events, each) => {
  for (let at = 0; at < events; at += each) await append(stream, at - 1, each);
};
const appendAtOnce = (append, stream, events) =>
  Promise.all(Array.from({ length: WRITERS }, (_, writer) => appendInTurn(append, `${stream}w${writer}`, events / WRITERS, 1)));

const readTo = async (expected, events) => {
  let seen = 0;
  for await (const _ of events) seen += 1;
  if (seen !== expected) throw new Error(`${seen} events were read instead of ${expected}`);
};

const read = {
  adapter: (stream) => log.readStream(streamName('bench', stream)),
  bare: (stream) => client.readStream(`${namespace}/bench-${stream}`),
};

/** Follows until it has received all events on the log, then stops. */
const follow = {
  adapter: async (total) => {
    const stop = new AbortController();
    let seen = 0;
    for await (const { events } of log.follow({ after: START, signal: stop.signal })) if ((seen += events.length) >= total) stop.abort();
  },
  bare: async (total) => {
    const subscription = client.subscribeToAll({ filter: eventTypeFilter({ prefixes: [`${namespace}/`] }) });
    let seen = 0;
    for await (const _ of subscription) if ((seen += 1) >= total) break;
    await subscription.unsubscribe();
  },
};

/** The results by name and variant: events, and their wall and CPU time in ms. */
const sums = new Map();
const measure = async (what, way, events, work) => {
  const [began, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  const row = sums.get(what) ?? sums.set(what, {}).get(what);
  const sum = (row[way] ??= { events: 0, ms: 0, cpuMs: 0 });
  sum.events += events;
  sum.ms += performance.now() - began;
  sum.cpuMs += (user + system) / 1000;
};

const rate = (sum) => sum && (sum.events * 1000) / sum.ms;
const cpu = ({ cpuMs, events }) => cpuMs / events;

let appended = 0;
try {
  for (let round = 0; round <= ROUNDS; round += 1) {
    if (round === 1) sums.clear(); // the first round is a warm-up
    const inTurn = round % 2 === 0 ? Object.entries(ways) : Object.entries(ways).reverse();
    for (const [way, append] of inTurn) {
      if (way === 'single call' && round !== 1) continue; // slow, and measured for comparison only
      const stream = `${round}${way.replace(' ', '')}`;
      await measure('append, sequential', way, EVENTS.one, () => appendInTurn(append, `${stream}a`, EVENTS.one, 1));
      await measure(`append, ${WRITERS} concurrently`, way, EVENTS.many, () => appendAtOnce(append, `${stream}b`, EVENTS.many));
      await measure('append, batches of 100', way, EVENTS.batches, () => appendInTurn(append, `${stream}c`, EVENTS.batches, 100));
    }
    for (const [way] of inTurn)
      if (read[way]) await measure('read a stream', way, EVENTS.batches, () => readTo(EVENTS.batches, read[way](`${round}adapterc`)));
    appended += round === 1 ? 3 : 2;
    const total = appended * (EVENTS.one + EVENTS.many + EVENTS.batches);
    const followers = inTurn.filter(([way]) => round % 3 === 0 && follow[way]);
    for (const [way] of followers) await measure('follow from the start', way, total, () => follow[way](total));
  }
  console.log(`events per second over ${ROUNDS} rounds each\n`);
  const titles = ['', 'adapter', 'bare', 'single call', 'adapter / bare', 'CPU adapter / bare'];
  console.log(titles.map((cell, at) => (at === 0 ? cell.padEnd(28) : cell.padStart(18))).join(''));
  for (const [what, { adapter, bare, 'single call': single }] of sums) {
    const rates = [adapter, bare, single].map((sum) => (sum ? Math.round(rate(sum)).toLocaleString('en') : '-'));
    const ratios = [rate(adapter) / rate(bare), cpu(adapter) / cpu(bare)].map((ratio) => ratio.toFixed(2));
    console.log(what.padEnd(28) + [...rates, ...ratios].map((cell) => cell.padStart(18)).join(''));
  }
} finally {
  await log.close();
  await client.dispose();
  server.stop();
  rmSync(folder, { recursive: true, force: true });
}
