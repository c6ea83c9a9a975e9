/**
 * How long one request with 49 MB of JSON blocks the event loop of a platform: the longest delay, in milliseconds, that a probe on the same event
 * loop sees. Reads the built `readJson` from a socket, like the server. `npm run build && node tools/bench/json-bodies.mjs`
 */
import { createServer, request } from 'node:http';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker, isMainThread, workerData } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';

const MIB = 1024 * 1024;
const BODIES = {
  '49 MB of [': () => '['.repeat(49 * MIB),
  'small lists, 49 MB': () => `[${'[],'.repeat(16 * MIB)}[]]`,
  'one text of letters': () => `{"text":"${'x'.repeat(49 * MIB)}"}`,
  'one text of escapes': () => `{"text":"${'\\u0041'.repeat(8 * MIB)}"}`,
  'one text of Greek': () => `{"text":"${'α'.repeat(24 * MIB)}"}`,
};

// The sender has its own thread: creating a body takes longer than reading it.
if (!isMainThread) {
  const sent = request({ port: workerData.port, method: 'POST' }, (answer) => answer.resume());
  sent.on('error', () => undefined).end(BODIES[workerData.name]());
} else {
  const { readJson } = await import('../../libs/http/dist/bodies/json-body.js');
  console.log('| body | answered | longest delay of the event loop, ms | JSON.parse of the whole, ms |\n|---|---|---|---|');
  for (const name of Object.keys(BODIES)) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    let over;
    const done = new Promise((resolve) => (over = resolve));
    const server = createServer(async (incoming, answer) => {
      delay.enable();
      const outcome = await readJson(incoming, 51 * MIB).then(
        () => 'parsed',
        (error) => error.message,
      );
      await sleep(20);
      delay.disable();
      answer.end();
      over(outcome);
    }).listen(0);
    await once(server, 'listening');
    const sender = new Worker(fileURLToPath(import.meta.url), { workerData: { port: server.address().port, name } });
    const outcome = await done;
    await sender.terminate();
    server.closeAllConnections();
    server.close();
    const body = BODIES[name]();
    const began = performance.now();
    try {
      JSON.parse(body);
    } catch {
      // The time until the refusal counts, too.
    }
    console.log(`| ${name} | ${outcome} | ${(delay.max / 1e6).toFixed(0)} | ${(performance.now() - began).toFixed(0)} |`);
  }
}
