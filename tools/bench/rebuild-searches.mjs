/**
 * How much does a rebuild slow down searches? One platform answers searches of a few callers without a pause: while it is idle, and while it
 * rebuilds its read models again and again, in turns. Linux, Node 24, after `npm run build`, about two minutes:
 *
 *   npx node tools/bench/rebuild-searches.mjs [--chunks 4000] [--rounds 5] [--seconds 8] [--callers 2] [--cap <events per second>]
 *
 * A stand-in on this machine creates the vectors at almost no cost. Every search must be answered with results.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { syntheticDocuments } from './lib/corpus.mjs';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';
import { quantile } from './lib/figures.mjs';
import { ingest, warmUp } from './lib/filling-parts.mjs';
import { PlatformProcess } from './lib/platform-process.mjs';

const SECTIONS = 8;
const number = (value) => ({ type: 'string', default: String(value) });
const { values: options } = parseArgs({
  options: { chunks: number(4000), rounds: number(5), seconds: number(8), callers: number(2), cap: { type: 'string' } },
});
const [chunks, rounds, seconds, callers] = [options.chunks, options.rounds, options.seconds, options.callers].map(Number);
const body = options.cap === undefined ? undefined : { maxEventsPerSecond: Number(options.cap) };

/** The times of the searches until `isOver`, ms, and how many failed or had no results. */
const searched = async (platform, queries, isOver) => {
  const [times, failed] = [[], []];
  const caller = async (first) => {
    for (let n = first; !isOver(); n += callers) {
      const began = performance.now();
      const { hits } = await platform
        .ask('POST', '/v1/search', { query: queries[n % queries.length], topK: 10 })
        .catch(() => ({ hits: [] }));
      times.push(performance.now() - began);
      if (hits.length === 0) failed.push(n);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, first) => caller(first)));
  return { times, failed: failed.length };
};

const idle = (platform, queries) => {
  const end = performance.now() + seconds * 1_000;
  return searched(platform, queries, () => performance.now() >= end);
};

const rebuilding = async (platform, queries) => {
  const end = performance.now() + seconds * 1_000;
  let [isOver, rebuilds] = [false, 0];
  const work = (async () => {
    for (; performance.now() < end; rebuilds++) await platform.ask('POST', '/v1/admin/rebuild', body);
    isOver = true;
  })();
  const found = await searched(platform, queries, () => isOver);
  await work;
  return { ...found, rebuilds };
};

const root = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
const standIn = await openEmbeddingStandIn();
try {
  const platform = await PlatformProcess.start(join(root, 'data'), standIn.settings);
  await warmUp(platform);
  const corpus = syntheticDocuments(Math.ceil(chunks / SECTIONS), { sections: SECTIONS, seed: 5 });
  const { chunks: ingested } = await ingest(platform, corpus);
  const queries = corpus.map(({ text }) => text.split(/\s+/).slice(20, 26).join(' '));
  await platform.ask('POST', '/v1/admin/rebuild');
  await idle(platform, queries);
  const all = { idle: [], rebuilding: [] };
  let [rebuilds, failed] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const [without, during] = [await idle(platform, queries), await rebuilding(platform, queries)];
    all.idle.push(...without.times);
    all.rebuilding.push(...during.times);
    rebuilds += during.rebuilds;
    failed += without.failed + during.failed;
    console.log(
      `round ${round + 1}: p99 ${quantile(without.times, 0.99).toFixed(1)} ms idle, ${quantile(during.times, 0.99).toFixed(1)} ms during rebuilds`,
    );
  }
  for (const [name, times] of Object.entries(all))
    console.log(
      `${name}: ${times.length} searches, ${[0.5, 0.95, 0.99].map((q) => `p${q * 100} ${quantile(times, q).toFixed(1)} ms`).join(', ')}`,
    );
  const ratio = (q) => (quantile(all.rebuilding, q) / quantile(all.idle, q)).toFixed(2);
  console.log(
    `${ingested} chunks, ${rebuilds} rebuilds, ${failed} searches failed; during / idle: p50 ${ratio(0.5)}, p95 ${ratio(0.95)}, p99 ${ratio(0.99)}`,
  );
  await platform.stop();
} finally {
  await standIn.close();
  await rm(root, { recursive: true, force: true });
}
console.log(`load average at the end ${loadavg()[0].toFixed(1)}`);
