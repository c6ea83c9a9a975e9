/**
 * How fast is the SQLite event log, and does it block the event loop? Less than 30 s.
 *
 *   node --conditions=@palimpsest/source tools/bench/event-log.mjs     (from source; without the condition: from dist)
 *
 * One run compares, with the same rows in the same schema on the same disk, in alternating rounds:
 *   group      64 writers, each of which awaits its append to its own stream, through the log
 *   one by one plain SQLite, one fsynced transaction per row
 *   batched    plain SQLite, one fsynced transaction per 64 rows: the upper bound of group commit
 * Compare ratios; rates depend on the disk. Event-loop delays are those of monitorEventLoopDelay, next to those of an idle loop. On a busy
 * machine they mostly reflect the machine, so the longest tick of the loop is also printed as CPU time of its thread.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { streamName } from '@palimpsest/knowledge/ports';
import { START } from '@palimpsest/knowledge/values';
import { openSqliteEventLog } from '@palimpsest/adapters-sqlite';

const WRITERS = 64;
/** Few rows at a time: with short rounds, other load on the disk affects all of them alike. */
const ROUNDS = 20;
const ROWS = { group: 640, 'one by one': 16, batched: 640 };
const folder = mkdtempSync(join(tmpdir(), 'bench-event-log-'));

const text = randomBytes(384).toString('base64'); // 512 characters
const anEvent = (data = { text }) => ({ id: randomUUID(), type: 'Noted', data, metadata: { tenant: 'acme', actor: 'bench' } });

/** Rows per second. */
const rate = async (rows, work) => {
  const began = performance.now();
  await work();
  return rows / ((performance.now() - began) / 1000);
};

const appendFrom64Writers = (log, round, rows, data) =>
  Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const stream = streamName('bench', String(round), String(writer));
      for (let at = 0; at < rows / WRITERS; at += 1) await log.append(stream, [anEvent(data)], at === 0 ? 'no-stream' : at - 1);
    }),
  );

const openPlain = async (name) => {
  const file = join(folder, name);
  await (await openSqliteEventLog({ file })).close(); // creates the schema
  const database = new DatabaseSync(file);
  database.exec('PRAGMA synchronous = FULL; PRAGMA cache_size = -32768');
  const insert = database.prepare(
    'INSERT INTO events (stream, revision, type, id, recorded_at, checksum, data, metadata) VALUES (?, ?, 1, ?, ?, 0, ?, ?)',
  );
  let inserted = 0;
  const insertRow = () => {
    const { id, data, metadata } = anEvent();
    inserted += 1;
    insert.run(
      inserted % WRITERS,
      inserted,
      Buffer.from(id.replaceAll('-', ''), 'hex'),
      Date.now(),
      JSON.stringify(data),
      JSON.stringify(metadata),
    );
  };
  const insertInTransactions = (rows, each) => {
    for (let row = 0; row < rows; row += each) {
      database.exec('BEGIN IMMEDIATE');
      for (let at = 0; at < each; at += 1) insertRow();
      database.exec('COMMIT');
    }
  };
  return { database, insertInTransactions };
};

const withLoopDelay = async (name, work) => {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const answer = await work();
  delay.disable();
  // The histogram also contains the timer's own period of 1 ms.
  console.log(
    `event loop, ${name}: max ${(delay.max / 1e6 - 1).toFixed(1)} ms, p99 ${(delay.percentile(99) / 1e6 - 1).toFixed(1)} ms late`,
  );
  return answer;
};

/** The longest tick of the event loop while `work` runs, in CPU ms of this thread. Keeps the loop spinning, so it cannot measure rates. */
const withLongestTurn = async (name, work) => {
  const cpu = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let longest = 0;
  let running = true;
  const turn = (began) => {
    const now = cpu();
    longest = Math.max(longest, now - began);
    if (running) setImmediate(turn, now);
  };
  setImmediate(() => turn(cpu()));
  await withLoopDelay(name, work);
  running = false;
  console.log(`event loop, ${name}: longest tick ${longest.toFixed(1)} ms of CPU`);
};

const compareRates = async () => {
  const log = await openSqliteEventLog({ file: join(folder, 'group.db') });
  const plain = await openPlain('plain.db');
  const ways = {
    group: (round) => appendFrom64Writers(log, round, ROWS.group),
    'one by one': () => plain.insertInTransactions(ROWS['one by one'], 1),
    batched: () => plain.insertInTransactions(ROWS.batched, WRITERS),
  };
  const sums = Object.fromEntries(Object.keys(ways).map((name) => [name, { rows: 0, ms: 0, cpu: 0 }]));
  await withLoopDelay('64 writers and plain SQLite', async () => {
    for (let round = 0; round <= ROUNDS; round += 1)
      for (const [name, write] of round % 2 === 0 ? Object.entries(ways) : Object.entries(ways).reverse()) {
        const [began, before] = [performance.now(), process.cpuUsage()];
        await write(round);
        const { user, system } = process.cpuUsage(before);
        const sum = sums[name];
        if (round === 0) continue; // warm-up
        sum.rows += ROWS[name];
        sum.ms += performance.now() - began;
        sum.cpu += user + system;
      }
  });
  const rateOf = ({ rows, ms }) => (rows / ms) * 1000;
  for (const [name, sum] of Object.entries(sums))
    console.log(`${name.padEnd(10)} ${Math.round(rateOf(sum))} rows/s, ${(sum.cpu / sum.rows).toFixed(0)} µs of CPU a row (all threads)`);
  const group = rateOf(sums.group);
  console.log(
    `group commit is ${(group / rateOf(sums['one by one'])).toFixed(1)} x one by one, ${(group / rateOf(sums.batched)).toFixed(2)} x batched`,
  );
  plain.database.close();
  await log.close();
};

/** 4 KB of float32 in base64, as chunks carry their vectors. */
const followVectors = async () => {
  const log = await openSqliteEventLog({ file: join(folder, 'vectors.db') });
  const vector = randomBytes(4096).toString('base64');
  const rows = 4096;
  await withLoopDelay(`appending ${rows} events of 4 KB vectors`, () => appendFrom64Writers(log, 'v', rows, { vector }));
  const read = () =>
    rate(rows, async () => {
      const stop = new AbortController();
      for await (const { caughtUp } of log.follow({ after: START, signal: stop.signal })) if (caughtUp) stop.abort();
    });
  const alone = await withLoopDelay('following them', read);
  const both = () => Promise.all([read(), read(), read(), appendFrom64Writers(log, 'w', 640, { vector })]);
  await withLongestTurn('following them again', read);
  await withLongestTurn('three followers and 64 concurrent writers', both);
  console.log(`follow     ${Math.round(alone)} events/s from the start, ${((alone * vector.length) / 1e6).toFixed(0)} MB/s`);
  await log.close();
};

try {
  await withLoopDelay('idle, for comparison', () => sleep(1500));
  await compareRates();
  await followVectors();
} finally {
  rmSync(folder, { recursive: true });
}
