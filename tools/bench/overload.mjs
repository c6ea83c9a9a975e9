/**
 * How does a platform behave under ten times the load that it can handle: how much does it complete, does every refusal explain itself,
 * how much memory does it use, and how soon does it recover? Linux, Node 24, after `npm run build`:
 *
 *   npx node tools/bench/overload.mjs [--seconds 60] [--times 10] [--documents 200] [--kinds search,context,upload] [--callers 16] [--sockets 1000] [--fresh]
 *     [--queue 1000000] [--unpinned] [--unguarded] [--profile folder]
 *
 * Capacity is the throughput of `--callers` callers that each wait for their answer. Then the benchmark sends `--times` as many requests a second,
 * whatever their outcome, over at most `--sockets` connections; requests that find none free are `unsent`. `--fresh` opens a connection for each
 * request. In both phases, the platform has the first core alone. The load and the stand-in for a model use the others (`taskset`; `--unpinned`
 * leaves that to the system), so that the share of capacity depends on the platform, not on the load generator. Other processes use part of the
 * cores; therefore there is also a figure per CPU second. `--queue`: documents that may wait for indexing; with few, uploads are as slow as
 * indexing. `--unguarded` refuses nothing, for comparison; `--profile` writes a CPU profile of the platform.
 */
import { execFileSync, fork } from 'node:child_process';
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
    queue: { type: 'string', default: '1000000' },
    fresh: { type: 'boolean', default: false },
    unpinned: { type: 'boolean', default: false },
    profile: { type: 'string' },
    unguarded: { type: 'boolean', default: false },
  },
});
const number = (name) => Number(options[name]);
const WORDS = ['lamp', 'harbour', 'keeper', 'oil', 'ship', 'storm', 'book', 'light', 'wick', 'tide'];
const words = (seed, count) => Array.from({ length: count }, (_, i) => WORDS[(seed * 7 + i * i * 3) % WORDS.length]).join(' ');

const milliseconds = ({ p50, p99 }) => `${p50}/${p99}`;

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

const UNGUARDED = {
  ...Object.fromEntries(['SEARCHES', 'WRITES', 'READS'].map((kind) => [`PALIMPSEST_CONCURRENT_${kind}`, '10000'])),
  PALIMPSEST_WAITING_REQUESTS: '100000',
  PALIMPSEST_WAITING_MS: '600000',
};
const MIB = 1024 * 1024;
const EACH_MS = 10_000;
/** The maximum resident memory of the platform during `work`, MiB, and the maximum duration of a liveness probe, ms. */
const watched = async (platform, work) => {
  const began = performance.now();
  let max = platform.resident().own;
  const each = [];
  let slowest = 0;
  let probes = 0;
  let refusedProbes = 0;
  let over = false;
  const watch = (async () => {
    while (!over) {
      const resident = platform.resident().own;
      max = Math.max(max, resident);
      each[Math.floor((performance.now() - began) / EACH_MS)] ??= Math.round(resident / MIB);
      const asked = performance.now();
      const answer = await fetch(`${platform.url}/health/live`).catch(() => undefined);
      if (answer?.status !== 200) refusedProbes++;
      await answer?.arrayBuffer();
      probes++;
      slowest = Math.max(slowest, performance.now() - asked);
      await sleep(100);
    }
  })();
  const result = await work();
  over = true;
  await watch;
  return { result, maxMiB: Math.round(max / MIB), eachMiB: each, slowestProbeMs: Math.round(slowest), probes, refusedProbes };
};

const indexedBy = async (platform) => (await platform.ask('GET', '/v1/status')).documents.indexed;

/** CPU share of the platform, and of the stand-in for a model in this process, during `work`; and the number of documents indexed per second. */
const computing = async (platform, work) => {
  const indexed = await indexedBy(platform);
  const [before, own, began] = [platform.cpuMs(), process.cpuUsage(), performance.now()];
  const result = await work();
  const { user, system } = process.cpuUsage(own);
  const ms = performance.now() - began;
  return {
    result,
    cores: (platform.cpuMs() - before) / ms,
    model: (user + system) / 1000 / ms,
    indexed: ((await indexedBy(platform)) - indexed) / (ms / 1000),
  };
};

const measure = async (platform, kind, authorization) => {
  const requests = requestsOf(kind, platform.url, authorization);
  const closed = (callers, seconds) => underLoad('closed', requests, { callers, seconds });
  await closed(number('callers'), 5);
  const { result: capacity, ...at } = await computing(platform, () => closed(number('callers'), 20));
  const rate = capacity.ok / capacity.seconds;
  const one = await closed(1, 5);
  const restMiB = Math.round(platform.resident().own / MIB);
  const overload = { perSecond: rate * number('times'), seconds: number('seconds'), sockets: number('sockets'), fresh: options.fresh };
  const {
    result: { result, ...seen },
    ...under
  } = await computing(platform, () => watched(platform, () => underLoad('open', requests, overload)));
  await sleep(2_000);
  const after = await closed(1, 3);
  const goodput = result.inTime / result.seconds;
  return {
    kind,
    'capacity /s': rate.toFixed(1),
    'sent /s': (result.sent / result.seconds).toFixed(0),
    'unsent /s': (result.unsent / result.seconds).toFixed(0),
    'done /s': goodput.toFixed(1),
    goodput: (goodput / rate).toFixed(2),
    'cores at capacity: platform, model, load': [at.cores, at.model, capacity.cores].map((cores) => cores.toFixed(2)).join(', '),
    'cores under load': [under.cores, under.model, result.cores].map((cores) => cores.toFixed(2)).join(', '),
    'goodput per CPU second': (goodput / under.cores / (rate / at.cores)).toFixed(2),
    ...(kind === 'upload' ? { 'indexed /s at capacity, under load': `${at.indexed.toFixed(1)}, ${under.indexed.toFixed(1)}` } : {}),
    refused: result.refused,
    'without Retry-After or problem': result.unexplained,
    other: JSON.stringify(result.other),
    'ms p50/p99 at capacity': milliseconds(capacity.okMs),
    'done under load': milliseconds(result.okMs),
    'refused under load': milliseconds(result.refusedMs),
    'alone before': milliseconds(one.okMs),
    'alone 2-5 s after': milliseconds(after.okMs),
    'MiB before': restMiB,
    'MiB max': seen.maxMiB,
    'MiB every 10 s': seen.eachMiB.join(' '),
    'slowest probe ms': seen.slowestProbeMs,
    'probes without 200': `${seen.refusedProbes} of ${seen.probes}`,
  };
};

/** At least two processors: the platform has the first one alone, the others are for the load and the stand-in for a model. */
const pinned = !options.unpinned && cpus().length > 1;
if (pinned) execFileSync('taskset', ['-acp', `1-${cpus().length - 1}`, String(process.pid)], { stdio: 'ignore' });
const root = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
const standIn = await openEmbeddingStandIn();
console.log(
  `${new Date().toISOString()}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load average ${loadavg()[0].toFixed(1)}`,
);
try {
  const platform = await PlatformProcess.start(
    root,
    { ...standIn.settings, PALIMPSEST_QUEUE_CAPACITY: options.queue, ...(options.unguarded ? UNGUARDED : {}) },
    { ...(pinned ? { core: 0 } : {}), nodeOptions: options.profile ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : [] },
  );
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
