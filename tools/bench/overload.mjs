/**
 * What becomes of a platform under ten times the load that it can take: how much it still does, whether every refusal is said,
 * how much memory it takes, and how soon it is as before. Linux, Node 24, after `npm run build`:
 *
 *   npx node tools/bench/overload.mjs [--seconds 60] [--times 10] [--documents 200] [--kinds search,context,upload] [--callers 16] [--unguarded]
 *
 * Capacity is what so many callers get who each wait for their answer; then `--times` as much is sent a second, whatever
 * becomes of it. `--unguarded` lets in everything at once, for comparison. The load comes from a process of its own on the same machine, and takes its share of the cores.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';
import { PlatformProcess } from './lib/platform-process.mjs';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    times: { type: 'string', default: '10' },
    documents: { type: 'string', default: '200' },
    kinds: { type: 'string', default: 'search,context,upload' },
    callers: { type: 'string', default: '16' },
    sockets: { type: 'string', default: '1000' },
    unguarded: { type: 'boolean', default: false },
  },
});
const number = (name) => Number(options[name]);
const WORDS = ['lamp', 'harbour', 'keeper', 'oil', 'ship', 'storm', 'book', 'light', 'wick', 'tide'];
const words = (seed, count) => Array.from({ length: count }, (_, i) => WORDS[(seed * 7 + i * i * 3) % WORDS.length]).join(' ');

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
const percentiles = (list) => {
  const sorted = [...list].sort((a, b) => a - b);
  return { p50: Math.round(at(sorted, 0.5)), p99: Math.round(at(sorted, 0.99)) };
};

const requestsOf = (kind, url, authorization) => {
  const headers = { authorization, 'content-type': 'application/json' };
  const post = (path, body) => ({ url, method: 'POST', path, headers, body: JSON.stringify(body) });
  if (kind === 'upload') return [post('/v1/documents', { sourceId: '«n».md', text: `A document about «n», ${words(3, 60)}.` })];
  return Array.from({ length: 50 }, (_, i) => post(`/v1/${kind}`, { query: words(i, 4) }));
};

const underLoad = async (mode, requests, loadOptions) => {
  const worker = fork(new URL('./lib/load-worker.mjs', import.meta.url));
  worker.send({ mode, requests, options: loadOptions });
  const [result] = await once(worker, 'message');
  worker.disconnect();
  return result;
};

const UNGUARDED = Object.fromEntries(['SEARCHES', 'WRITES', 'READS'].map((kind) => [`PALIMPSEST_CONCURRENT_${kind}`, '10000']));
const MIB = 1024 * 1024;
/** The largest resident memory of the platform while `work` is under way, MiB, and the longest that a probe of liveness took, ms. */
const watched = async (platform, work) => {
  let most = platform.resident().own;
  let slowest = 0;
  let probes = 0;
  let refusedProbes = 0;
  let over = false;
  const watch = (async () => {
    while (!over) {
      most = Math.max(most, platform.resident().own);
      const began = performance.now();
      const answer = await fetch(`${platform.url}/health/live`).catch(() => undefined);
      if (answer?.status !== 200) refusedProbes++;
      await answer?.arrayBuffer();
      probes++;
      slowest = Math.max(slowest, performance.now() - began);
      await sleep(100);
    }
  })();
  const result = await work();
  over = true;
  await watch;
  return { result, mostMiB: Math.round(most / MIB), slowestProbeMs: Math.round(slowest), probes, refusedProbes };
};

/** What the platform computed meanwhile, of a processor: where the load takes its share of two cores, it has less of them than before. */
const computing = async (platform, work) => {
  const before = platform.cpuMs();
  const began = performance.now();
  const result = await work();
  return { result, share: (platform.cpuMs() - before) / (performance.now() - began) };
};

const measure = async (platform, kind, authorization) => {
  const requests = requestsOf(kind, platform.url, authorization);
  const closed = (seconds) => underLoad('closed', requests, { callers: number('callers'), seconds });
  await closed(5);
  const { result: capacity, share: shareAtCapacity } = await computing(platform, () => closed(20));
  const rate = capacity.ok / capacity.seconds;
  const one = await underLoad('closed', requests, { callers: 1, seconds: 5 });
  const restMiB = Math.round(platform.resident().own / MIB);
  const overload = { perSecond: rate * number('times'), seconds: number('seconds'), sockets: number('sockets') };
  const { result: { result, ...seen }, share } = await computing(platform, () => watched(platform, () => underLoad('open', requests, overload)));
  await sleep(5_000 - 3_000);
  const after = await underLoad('closed', requests, { callers: 1, seconds: 3 });
  const goodput = result.inTime / result.seconds;
  return {
    kind,
    'capacity /s': rate.toFixed(1),
    'sent /s': (result.sent / result.seconds).toFixed(0),
    'unsent /s': (result.unsent / result.seconds).toFixed(0),
    'done /s': goodput.toFixed(1),
    goodput: (goodput / rate).toFixed(2),
    'cores of the platform, at capacity and under load': `${shareAtCapacity.toFixed(2)}, ${share.toFixed(2)}`,
    'goodput for the same computing': (goodput / share / (rate / shareAtCapacity)).toFixed(2),
    refused: result.refused,
    'without Retry-After': result.unexplained,
    other: JSON.stringify(result.other),
    'ms p50/p99 at capacity': Object.values(percentiles(capacity.okMs)).join('/'),
    'done under load': Object.values(percentiles(result.okMs)).join('/'),
    'refused under load': Object.values(percentiles(result.refusedMs)).join('/'),
    'alone before': Object.values(percentiles(one.okMs)).join('/'),
    'alone 2-5 s after': Object.values(percentiles(after.okMs)).join('/'),
    'MiB before': restMiB,
    'MiB most': seen.mostMiB,
    'slowest probe ms': seen.slowestProbeMs,
    'probes without 200': `${seen.refusedProbes} of ${seen.probes}`,
  };
};

const root = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
const standIn = await openEmbeddingStandIn();
console.log(`${new Date().toISOString()}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load average ${loadavg()[0].toFixed(1)}`);
try {
  const platform = await PlatformProcess.start(root, { ...standIn.settings, PALIMPSEST_QUEUE_CAPACITY: '5000', ...(options.unguarded ? UNGUARDED : {}) });
  const authorization = `Bearer ${(await readFile(join(root, 'keys', 'local-api-key'), 'utf8')).trim()}`;
  const documents = number('documents');
  await platform.submit(Array.from({ length: documents }, (_, i) => ({ name: `d${i}.md`, text: `# ${words(i, 2)}\n\n${words(i, 150)}` })));
  await platform.settled(documents);
  const rows = [];
  for (const kind of options.kinds.split(',')) rows.push(await measure(platform, kind, authorization));
  for (const row of rows) console.table(row);
  await platform.stop();
} finally {
  await standIn.close();
  await rm(root, { recursive: true, force: true });
}
console.log(`load average at the end ${loadavg()[0].toFixed(1)}`);
