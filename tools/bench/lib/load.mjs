import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** For how long an answer is waited before it counts as none, ms. */
const PATIENCE_MS = 30_000;

/** One request over a connection that is kept; answers its status, or why there was none. Never throws. */
const send = (agent, { url, method, path, headers, body }) =>
  new Promise((resolve) => {
    const began = performance.now();
    const done = (outcome) => resolve({ ...outcome, ms: performance.now() - began });
    const sent = request(`${url}${path}`, { agent, method, headers, timeout: PATIENCE_MS }, (answer) => {
      answer.on('error', (error) => done({ fault: error.code ?? error.message }));
      answer.on('end', () => done({ status: answer.statusCode, retryAfter: answer.headers['retry-after'] })).resume();
    });
    sent.on('timeout', () => sent.destroy(Object.assign(new Error('no answer'), { code: 'no answer' })));
    sent.on('error', (error) => done({ fault: error.code ?? error.message }));
    sent.end(body);
  });

const newTally = () => ({ sent: 0, unsent: 0, ok: 0, refused: 0, unexplained: 0, other: {}, okMs: [], refusedMs: [] });

const count = (tally, { status, retryAfter, fault, ms }) => {
  if (status !== undefined && status < 300) {
    tally.ok++;
    tally.okMs.push(ms);
  } else if (status === 429) {
    tally.refused++;
    tally.refusedMs.push(ms);
    if (!(Number(retryAfter) >= 1)) tally.unexplained++;
  } else {
    const what = fault ?? String(status);
    tally.other[what] = (tally.other[what] ?? 0) + 1;
  }
};

/** So many callers, each with one request at a time, for so long: what a platform can take. */
export const closedLoad = async (next, { callers, seconds }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const tally = newTally();
  const until = performance.now() + seconds * 1000;
  const began = performance.now();
  await Promise.all(Array.from({ length: callers }, async () => {
    while (performance.now() < until) {
      tally.sent++;
      const answer = await send(agent, next());
      count(tally, answer);
      if (answer.status === 429) await sleep(5);
    }
  }));
  agent.destroy();
  return { ...tally, seconds: (performance.now() - began) / 1000 };
};

/** So many requests a second, whatever becomes of them, for so long; at most `sockets` are under way, which is told. */
export const openLoad = async (next, { perSecond, seconds, sockets }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  const tally = newTally();
  const began = performance.now();
  const under = new Set();
  let due = 0;
  for (;;) {
    const elapsed = (performance.now() - began) / 1000;
    if (elapsed >= seconds) break;
    for (const wanted = Math.floor(elapsed * perSecond); due < wanted; due++) {
      if (under.size >= sockets) {
        tally.unsent++;
        continue;
      }
      tally.sent++;
      const one = send(agent, next()).then((answer) => count(tally, answer)).finally(() => under.delete(one));
      under.add(one);
    }
    await sleep(2);
  }
  const measured = (performance.now() - began) / 1000;
  const inTime = tally.ok;
  await Promise.all(under);
  agent.destroy();
  return { ...tally, inTime, seconds: measured };
};
