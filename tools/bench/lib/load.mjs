import { setTimeout as sleep } from 'node:timers/promises';
import { WireConnection, wireBytes } from './wire.mjs';

/** How long to wait for an answer before it counts as missing, unless set otherwise, ms. */
const PATIENCE_MS = 30_000;
const STEP_MS = 2;

const at = (sorted, share) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN);
const percentiles = (list) => {
  const sorted = Float64Array.from(list).sort();
  return { p50: at(sorted, 0.5), p99: at(sorted, 0.99) };
};

/** Counts the outcomes of the requests of a run. */
class Tally {
  sent = 0;
  unsent = 0;
  ok = 0;
  refused = 0;
  unexplained = 0;
  other = {};
  #okMs = [];
  #refusedMs = [];
  #began = performance.now();
  #cpu = process.cpuUsage();

  count({ status, retryAfter, explained, fault }, ms) {
    if (status !== undefined && status < 300) {
      this.ok++;
      this.#okMs.push(ms);
    } else if (status === 429) {
      this.refused++;
      this.#refusedMs.push(ms);
      if (!(retryAfter >= 1) || !explained) this.unexplained++;
    } else {
      const what = fault ?? String(status);
      this.other[what] = (this.other[what] ?? 0) + 1;
    }
  }

  /** The rate so far: completed in time, elapsed time, and the CPU share of sending. */
  soFar() {
    const ms = performance.now() - this.#began;
    const { user, system } = process.cpuUsage(this.#cpu);
    return { inTime: this.ok, seconds: ms / 1000, cores: (user + system) / 1000 / ms };
  }

  result(soFar = this.soFar()) {
    const { sent, unsent, ok, refused, unexplained, other } = this;
    return {
      sent,
      unsent,
      ok,
      refused,
      unexplained,
      other,
      okMs: percentiles(this.#okMs),
      refusedMs: percentiles(this.#refusedMs),
      ...soFar,
    };
  }
}

/** Connections to one server. Kept ones are reused in turn, like those of many callers with one each; others are for one request each. */
class Connections {
  #url;
  #kept;
  #patienceMs;
  #idle = [];
  #under = new Map();

  constructor(url, kept, patienceMs = PATIENCE_MS) {
    this.#url = url;
    this.#kept = kept;
    this.#patienceMs = patienceMs;
  }

  get under() {
    return this.#under.size;
  }

  send(request, answered) {
    let connection = this.#kept ? this.#idle.shift() : undefined;
    while (connection?.open === false) connection = this.#idle.shift();
    connection ??= new WireConnection(this.#url);
    const began = performance.now();
    this.#under.set(connection, began);
    connection.ask(wireBytes(request, this.#kept), (answer) => {
      this.#under.delete(connection);
      if (this.#kept && connection.open) this.#idle.push(connection);
      else connection.give('done');
      answered(answer, performance.now() - began);
    });
  }

  /** Closes connections that have waited longer than any caller would. */
  closeExpired() {
    const now = performance.now();
    for (const [connection, began] of this.#under) if (now - began > this.#patienceMs) connection.give('no answer');
  }

  close() {
    for (const connection of this.#idle.splice(0)) connection.give('done');
  }
}

/** `callers` callers, each with one request at a time, for `seconds`: measures the capacity of a platform. */
export const closedLoad = async (next, { callers, seconds, patienceMs }) => {
  const connections = new Connections(next().url, true, patienceMs);
  const tally = new Tally();
  const until = performance.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < until) {
        tally.sent++;
        const status = await new Promise((resolve) =>
          connections.send(next(), (answer, ms) => {
            tally.count(answer, ms);
            resolve(answer.status);
          }),
        );
        if (status === 429) await sleep(5);
      }
    }),
  );
  connections.close();
  return tally.result();
};

/**
 * Sends `perSecond` requests a second, whatever their outcome, for `seconds`. At most `sockets` are in progress; the rest is counted as
 * unsent. `fresh`: a new connection for each request, like callers that send only one.
 */
export const openLoad = async (next, { perSecond, seconds, sockets, fresh, patienceMs }) => {
  const connections = new Connections(next().url, !fresh, patienceMs);
  const tally = new Tally();
  const began = performance.now();
  let due = 0;
  for (let lookedAt = 0; ;) {
    const elapsed = (performance.now() - began) / 1000;
    if (elapsed >= seconds) break;
    for (const wanted = Math.floor(elapsed * perSecond); due < wanted; due++) {
      if (connections.under >= sockets) {
        tally.unsent++;
        continue;
      }
      tally.sent++;
      connections.send(next(), (answer, ms) => tally.count(answer, ms));
    }
    if (elapsed - lookedAt > 1) {
      connections.closeExpired();
      lookedAt = elapsed;
    }
    await sleep(STEP_MS);
  }
  const measured = tally.soFar();
  while (connections.under > 0) {
    connections.closeExpired();
    await sleep(100);
  }
  connections.close();
  return tally.result(measured);
};
