/**
 * What does it cost to remove old history? Documents are ingested, some of them are replaced and some deleted, and what is old is removed
 * from the log. One search after the other runs meanwhile, and before, for comparison. Linux, Node 24, after `npm run build`:
 *
 *   npx node tools/bench/history.mjs [--documents 1000] [--share 0.5]
 *
 * A replaced document keeps all of its sections but one, so that the events of the others must be repeated. A stand-in on this machine
 * creates the vectors at almost no cost.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { syntheticDocuments } from './lib/corpus.mjs';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';
import { quantile } from './lib/figures.mjs';
import { ingest, warmUp } from './lib/filling-parts.mjs';
import { PlatformProcess } from './lib/platform-process.mjs';

const SECTIONS = 8;
const SCOPE = 'deployment';

const { values: options } = parseArgs({
  options: { documents: { type: 'string', default: '1000' }, share: { type: 'string', default: '0.5' } },
});
const [count, share] = [Number(options.documents), Number(options.share)];

const search = async (platform) => {
  const began = performance.now();
  const { hits } = await platform.ask('POST', '/v1/search', { query: 'water under pressure', strategy: 'SparseOnly', topK: 10 });
  return { ms: performance.now() - began, hits };
};

/** Searches until `isDone`, and at least this many. */
const searchWhile = async (platform, isDone, least = 200) => {
  const times = [];
  while (!(await isDone()) || times.length < least) times.push((await search(platform)).ms);
  return times;
};

const root = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
const standIn = await openEmbeddingStandIn();
try {
  const platform = await PlatformProcess.start(join(root, 'data'), standIn.settings);
  await warmUp(platform);
  const corpus = syntheticDocuments(count, { sections: SECTIONS, seed: 7 });
  const first = await ingest(platform, corpus);
  const changed = corpus
    .slice(0, Math.round(count * share))
    .map((document) => ({ ...document, text: `${document.text}\n\n## Later\n\nThis was added to ${document.name}.\n` }));
  await platform.submit(changed);
  await sleep(500);
  await platform.settled(first.documents);
  const gone = corpus.slice(-Math.round((count * share) / 2)).map(({ name }) => name);
  for (const sourceId of gone) await platform.ask('POST', '/v1/documents/delete', { knowledgeBase: 'default', sourceId, expected: 1 });
  const { hits: before } = await search(platform);
  const quiet = await searchWhile(platform, async () => true);
  const [began, cpu] = [performance.now(), platform.cpuMs()];
  let status = await platform.ask('POST', `/v1/scopes/${SCOPE}/history-removal`, { keepDays: 0 });
  let asked = performance.now();
  const during = await searchWhile(
    platform,
    async () => {
      if (performance.now() - asked < 200) return false;
      asked = performance.now();
      status = await platform.ask('GET', `/v1/scopes/${SCOPE}/history-removal`);
      return status.running === undefined;
    },
    1,
  );
  const [seconds, used] = [(performance.now() - began) / 1_000, platform.cpuMs() - cpu];
  const { hits: after } = await search(platform);
  if (JSON.stringify(before) !== JSON.stringify(after)) throw new Error('a search finds something else after the removal');
  await sleep(1_000);
  const { differences } = await platform.ask('POST', '/v1/admin/verify');
  if (differences.length > 0) throw new Error(`${differences.length} differences after the removal`);
  const { last } = status;
  console.log(
    `${corpus.length} documents, ${first.chunks} chunks; ${changed.length} replaced, ${gone.length} deleted; removed: ${last.records} records of ${last.documents} documents, ${last.uploads} uploads`,
  );
  console.log(
    `${seconds.toFixed(1)} s, ${((1_000 * seconds) / last.documents).toFixed(1)} ms a document; ${(used / last.documents).toFixed(1)} ms of CPU a document, with the searches`,
  );
  const p = (times, share) => quantile(times, share).toFixed(1);
  console.log(
    `searches before: p50 ${p(quiet, 0.5)}, p99 ${p(quiet, 0.99)} ms; during: p50 ${p(during, 0.5)}, p99 ${p(during, 0.99)} ms (${during.length}); the same results before and after`,
  );
  await platform.stop();
} finally {
  await standIn.close();
  await rm(root, { recursive: true, force: true });
}
console.log(`load average at the end ${loadavg()[0].toFixed(1)}`);
