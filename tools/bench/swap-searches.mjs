/**
 * How much does a swap slow down searches, and what does it take in return? Callers search while nothing is re-embedded, then while a
 * generation of the built-in model is built: at full speed, at the rate that follows the searches, and with a cap. Linux, Node 24, after
 * `npm run build`, about five minutes:
 *
 *   npx node tools/bench/swap-searches.mjs [--documents 60] [--callers 2] [--seconds 15] [--pause 20] [--cap 30]
 *
 * Each swap starts on a copy of the same data folder. The model before the swap is a stand-in that costs almost nothing. A caller pauses
 * for `--pause` milliseconds after each search. Every search must be answered with results.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { syntheticDocuments } from './lib/corpus.mjs';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';
import { quantile, timed } from './lib/figures.mjs';
import { ingest } from './lib/filling-parts.mjs';
import { PlatformProcess } from './lib/platform-process.mjs';

const number = (value) => ({ type: 'string', default: String(value) });
const { values: options } = parseArgs({
  options: { documents: number(60), callers: number(2), seconds: number(15), pause: number(20), cap: number(30) },
});
const [documents, callers, seconds, pauseMs] = [options.documents, options.callers, options.seconds, options.pause].map(Number);
const SWAP = '/v1/scopes/deployment/swap';
const POLL_MS = 200;
const NEVER = '60000';

/** Settings of each way to build the generation. */
const WAYS = {
  'at full speed': { PALIMPSEST_REEMBEDDING_SEARCH_MS: NEVER },
  'as searches allow': { PALIMPSEST_REEMBEDDING_SEARCH_MS: '0' },
  [`at most ${options.cap} % of the time`]: { PALIMPSEST_REEMBEDDING_SEARCH_MS: NEVER, PALIMPSEST_REEMBEDDING_MAX_PERCENT: options.cap },
};

/** The times of all searches until `work` ends, ms, and how many failed or had no results. */
const searchedDuring = async (platform, queries, work) => {
  let isOver = false;
  const [times, failed] = [[], []];
  const caller = async (first) => {
    for (let n = first; !isOver; n += callers) {
      const { ms, result } = await timed(() =>
        platform.ask('POST', '/v1/search', { query: queries[n % queries.length], topK: 10 }).catch(() => ({ hits: [] })),
      );
      times.push(ms);
      if (result.hits.length === 0) failed.push(n);
      await sleep(pauseMs);
    }
  };
  const all = Promise.all(Array.from({ length: callers }, (_, first) => caller(first)));
  await work();
  isOver = true;
  await all;
  return { times, failed: failed.length };
};

const built = async (platform) => {
  const { available } = (await platform.ask('GET', '/v1/status')).models;
  const embeddingVersion = available.find((version) => version.startsWith('onnx:all-minilm'));
  await platform.ask('POST', SWAP, { embeddingVersion, cutover: 'manual' });
  let percent = 100;
  for (let view = await platform.ask('GET', SWAP); view.state !== 'ready'; view = await platform.ask('GET', SWAP)) {
    percent = Math.min(percent, view.swap?.slowed?.percent ?? 100);
    await sleep(POLL_MS);
  }
  return percent;
};

const root = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
const standIn = await openEmbeddingStandIn();
const rows = {};
const row = (times, more) => ({
  searches: times.length,
  ...Object.fromEntries([0.5, 0.95, 0.99].map((q) => [`p${q * 100} ms`, Number(quantile(times, q).toFixed(1))])),
  ...more,
});
try {
  const filled = join(root, 'filled');
  const corpus = syntheticDocuments(documents);
  const first = await PlatformProcess.start(filled, standIn.settings);
  await ingest(first, corpus);
  await first.stop();
  const queries = corpus.map(({ text }) => text.split(/\s+/).slice(20, 26).join(' '));
  const idle = [];
  for (const [name, settings] of Object.entries(WAYS)) {
    const folder = join(root, name.replaceAll(/\W/g, '-'));
    await cp(filled, folder, { recursive: true });
    const platform = await PlatformProcess.start(folder, { ...standIn.settings, ...settings });
    await searchedDuring(platform, queries, () => sleep(3_000));
    const alone = await searchedDuring(platform, queries, () => sleep(seconds * 1_000));
    idle.push(...alone.times);
    let smallest;
    const { ms, result } = await timed(() => searchedDuring(platform, queries, async () => (smallest = await built(platform))));
    const ratio = (q) => Number((quantile(result.times, q) / quantile(alone.times, q)).toFixed(2));
    rows[name] = row(result.times, {
      ...{ 'p95 ratio': ratio(0.95), 'p99 ratio': ratio(0.99), 'swap s': Number((ms / 1_000).toFixed(1)), 'smallest %': smallest },
      failed: result.failed + alone.failed,
    });
    await platform.stop();
  }
  console.table({ 'no swap': row(idle), ...rows });
} finally {
  await standIn.close();
  await rm(root, { recursive: true, force: true });
}
console.log(`load average at the end ${loadavg()[0].toFixed(1)}`);
