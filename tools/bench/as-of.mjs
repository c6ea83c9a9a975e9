/**
 * What does a search in the past cost? A folder is filled, every fifth document is replaced, and searches as of the position before that
 * are compared with live ones, in turn. The first one waits until the read models of the moment are made from the live ones ("cold"); then
 * the language of the knowledge base changes, which forbids that, and the same moment is built from the log. A moment before the last
 * replaced documents (1 % of all) is opened, too. Every answer about the past is compared with the live one that was given then. Linux,
 * Node 24, after `npm run build`:
 *
 *   npx node tools/bench/as-of.mjs [--chunks 100000] [--queries 200] [--folder <kept folder>]
 *
 * Vectors are random, and those of queries come from a stand-in: the figures show everything except the model.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { queriesFrom, syntheticDocuments } from './lib/corpus.mjs';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';
import { median, p50p95, timed } from './lib/figures.mjs';
import { fillFolder, folderBytes } from './lib/fill-folder.mjs';
import { PlatformProcess } from './lib/platform-process.mjs';

const { values: options } = parseArgs({
  options: { chunks: { type: 'string', default: '100000' }, queries: { type: 'string', default: '200' }, folder: { type: 'string' } },
});
const [chunks, queries] = [Number(options.chunks), Number(options.queries)];
const MIB = 2 ** 20;
const SECTIONS = 200;
/** Every fifth document is replaced: a churn of 20 %. */
const EVERY = 5;

const answerOf = ({ hits }) => JSON.stringify(hits.map(({ chunkId, score, text }) => [chunkId, score, text]));

/** Waits for as long as the platform says that it is building. */
const untilBuilt = async (platform, request) => {
  for (;;) {
    const response = await fetch(`${platform.url}/v1/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${platform.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    if (response.status === 200) return response.json();
    const { code, detail } = await response.json();
    if (code !== 'NotCaughtUp') throw new Error(detail);
    await sleep(5);
  }
};

const all = async (platform) => {
  const found = [];
  for (let cursor; ;) {
    const page = await platform.ask('GET', `/v1/documents?limit=200${cursor === undefined ? '' : `&cursor=${cursor}`}`);
    found.push(...page.documents);
    cursor = page.next;
    if (cursor === undefined) return found;
  }
};

/** Replaces some of the documents; returns when they are indexed. */
const replace = async (platform, documents, texts) => {
  for (const [i, { sourceId }] of documents.entries())
    await platform.ask('POST', '/v1/documents', { sourceId, mediaType: 'text/plain', text: texts[i].text });
  while ((await all(platform)).some(({ status }) => status !== 'indexed')) await sleep(1_000);
};

/** Opens a moment for the first time. Next to other work, the clock shows mostly that; so the CPU time of the platform is given, too. */
const openedCold = async (platform, request) => {
  const cpu = platform.cpuMs();
  const { ms, result } = await timed(() => untilBuilt(platform, request));
  return { s: ms / 1000, cpu: (platform.cpuMs() - cpu) / 1000, result };
};

const root = options.folder ?? (await mkdtemp(join(tmpdir(), 'bench-as-of-')));
await mkdir(root, { recursive: true });
const standIn = await openEmbeddingStandIn();
try {
  const data = join(root, 'data');
  if (!existsSync(join(root, 'filled'))) {
    const filled = await fillFolder(data, standIn.settings, { chunks, scopes: 1 });
    await writeFile(join(root, 'filled'), '');
    console.log(`filled ${filled.chunks} chunks in ${(filled.ms / 1000).toFixed(0)} s, load average ${loadavg()[0].toFixed(1)}`);
  }
  const platform = await PlatformProcess.start(data, { ...standIn.settings, PALIMPSEST_PURGE_MINUTES: '1' });
  const asked = queriesFrom(syntheticDocuments(40, { sections: 8, seed: 1 }), queries);
  const requestOf = (query) => ({ query, topK: 10, strategy: 'DenseSparseHybrid' });
  const before = new Map();
  let position;
  for (const query of asked) {
    const answer = await platform.ask('POST', '/v1/search', requestOf(query));
    before.set(query, answerOf(answer));
    ({ position } = answer);
  }
  const bytesBefore = await folderBytes(join(data, 'read-models'));
  const replaced = (await all(platform)).filter((_, i) => i % EVERY === 0);
  const texts = syntheticDocuments(replaced.length, { sections: SECTIONS, seed: 4_321 });
  const few = Math.ceil(replaced.length / 20);
  await replace(platform, replaced.slice(few), texts.slice(few));
  const late = await platform.ask('POST', '/v1/search', requestOf(asked[0]));
  await replace(platform, replaced.slice(0, few), texts);
  await sleep(90_000);
  const [log, readModels] = [await folderBytes(join(data, 'log')), await folderBytes(join(data, 'read-models'))];
  console.log(
    `replaced ${replaced.length} documents: read models ${(bytesBefore / MIB).toFixed(0)} → ${(readModels / MIB).toFixed(0)} MiB, log ${(log / MIB).toFixed(0)} MiB`,
  );

  const ofFew = await openedCold(platform, { ...requestOf(asked[0]), asOf: late.position });
  if (answerOf(ofFew.result) !== answerOf(late)) throw new Error('the answer about the moment before the last documents differs');
  const resident = platform.resident().own;
  const cold = await openedCold(platform, { ...requestOf(asked[0]), asOf: position });
  const live = [];
  const past = [];
  let different = 0;
  for (const query of asked) {
    live.push((await timed(() => platform.ask('POST', '/v1/search', requestOf(query)))).ms);
    const { ms, result } = await timed(() => platform.ask('POST', '/v1/search', { ...requestOf(query), asOf: position }));
    past.push(ms);
    if (answerOf(result) !== before.get(query)) different++;
  }
  const ratios = past.map((ms, i) => ms / live[i]);
  console.log(
    `cold ${cold.s.toFixed(1)} s (${cold.cpu.toFixed(1)} s of CPU), with ${few} documents replaced since ${ofFew.s.toFixed(1)} s (${ofFew.cpu.toFixed(1)}); then ${p50p95(past)}, live ${p50p95(live)}: ${median(ratios).toFixed(2)} × (median of pairs)\n` +
      `${different} of ${asked.length} answers differ from those that were given then; ` +
      `the view takes ${((await folderBytes(join(data, 'past-views'))) / MIB).toFixed(0)} MiB of disk and ${((platform.resident().own - resident) / MIB).toFixed(0)} MiB of memory; load average ${loadavg()[0].toFixed(1)}`,
  );
  await platform.ask('PATCH', '/v1/knowledge-bases/default', { language: 'is' });
  while ((await folderBytes(join(data, 'past-views'))) > 0) await sleep(1_000);
  const full = await openedCold(platform, { ...requestOf(asked[0]), asOf: position });
  if (answerOf(full.result) !== before.get(asked[0])) throw new Error('the answer of the view that was built from the log differs');
  console.log(
    `built from the log ${full.s.toFixed(1)} s (${full.cpu.toFixed(1)} s of CPU): ${(full.s / cold.s).toFixed(1)} and ${(full.s / ofFew.s).toFixed(1)} × as long, ${(full.cpu / cold.cpu).toFixed(1)} and ${(full.cpu / ofFew.cpu).toFixed(1)} × the CPU; load average ${loadavg()[0].toFixed(1)}`,
  );
  await platform.stop('SIGTERM');
} finally {
  await standIn.close();
  if (options.folder === undefined) await rm(root, { recursive: true, force: true });
}
