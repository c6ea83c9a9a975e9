import { queriesFrom, syntheticDocuments } from './corpus.mjs';
import { median, p50p95, quantile, timed } from './figures.mjs';
import { openBareLoop } from './bare-onnx.mjs';
import { bareSearch, openPorts, replay } from './ports.mjs';
import { PlatformProcess } from './platform-process.mjs';

/** The parts of `platform.mjs`; each prints its figures with their baseline. */

const STRATEGIES = ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'];
const say = (line) => console.log(line);
const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;

/** Submits and waits: wall and processor time (ms), chunks. */
export const ingest = async (platform, documents) => {
  const before = platform.cpuMs();
  const { result: status, ms } = await timed(async () => {
    const outcomes = await platform.submit(documents);
    const refused = outcomes.find(({ status }) => status !== 'accepted');
    if (refused) throw new Error(`not accepted: ${JSON.stringify(refused)}`);
    return platform.settled(documents.length);
  });
  const { indexed, failed } = status.documents;
  if (failed > 0) throw new Error(`${failed} documents failed`);
  return { ms, cpuMs: platform.cpuMs() - before, chunks: status.chunks, documents: indexed };
};

/** a: against the model alone, over the same texts with the same threads. */
export const againstBareLoop = async (first, texts, threads, rounds) => {
  const loop = await openBareLoop(texts, threads);
  const samples = [];
  for (let round = 0; round < rounds; round++) {
    const cpu = process.cpuUsage();
    const { ms } = await timed(loop.run);
    const { user, system } = process.cpuUsage(cpu);
    samples.push({ ms, cpuMs: (user + system) / 1000 });
  }
  await loop.close();
  const [wall, cpu] = ['ms', 'cpuMs'].map((key) => median(samples.map((sample) => sample[key])));
  say(`ingested ${first.documents} documents, ${texts.length} chunks in ${seconds(first.ms)} (${((texts.length * 1000) / first.ms).toFixed(1)} chunks/s), ${seconds(first.cpuMs)} CPU`);
  say(`bare ONNX loop over the same texts, ${threads} threads: ${seconds(wall)}, ${seconds(cpu)} CPU (median of ${rounds})`);
  say(`  ingestion / bare loop: ${(first.ms / wall).toFixed(2)} of the wall time, ${(first.cpuMs / cpu).toFixed(2)} of the CPU time`);
};

/** b: the same folder again. `embedded` tells how many texts were embedded so far, where that can be counted. */
export const ingestAgain = async (platform, documents, first, embedded) => {
  const [head, before] = [(await platform.ask('GET', '/v1/status')).log.position, await embedded?.()];
  const { result: outcomes, ms } = await timed(() => platform.submit(documents));
  const { log } = await platform.settled(documents.length);
  const skipped = outcomes.filter(({ status }) => status === 'skipped').length;
  const calls = embedded === undefined ? 'not counted here' : (await embedded()) - before;
  say(`again, unchanged: ${seconds(ms)}, ${skipped} of ${documents.length} skipped, ${BigInt(log.position) - BigInt(head)} events written, texts embedded: ${calls}`);
  say(`  again / first: ${(ms / first.ms).toFixed(4)}`);
};

/** c, over HTTP. */
export const rebuildOverHttp = async (platform, first, embedded) => {
  const before = await embedded?.();
  const { result: rebuilt, ms } = await timed(() => platform.ask('POST', '/v1/admin/rebuild'));
  const calls = embedded === undefined ? '' : `, texts embedded: ${(await embedded()) - before}`;
  say(`rebuild of all read models: ${seconds(ms)}, ${rebuilt.chunks} chunks (${((rebuilt.chunks * 1000) / ms).toFixed(0)} chunks/s)${calls}`);
  say(`  rebuild / first ingestion: ${(ms / first.ms).toFixed(3)}`);
};

/** c, in this process: what opening the seals takes of it, and how long the event loop waits. */
export const replayInProcess = async (data, settings, rounds) => {
  const ports = await openPorts(data, settings);
  const samples = { plain: [], timed: [] };
  for (let round = 0; round < rounds; round++)
    for (const way of Object.keys(samples)) samples[way].push(await replay(ports, { timeCiphers: way === 'timed' }));
  await ports.close();
  const of = (way, pick) => median(samples[way].map(pick));
  const { chunks, ciphers } = samples.timed[0];
  say(`replay in one process: ${seconds(of('plain', ({ ms }) => ms))}, ${((of('plain', ({ cpuMs }) => cpuMs) * 1000) / chunks).toFixed(0)} µs CPU per chunk (median of ${rounds})`);
  const spent = of('timed', ({ ciphers }) => ciphers.ms);
  say(`  opening seals: ${ciphers.calls} calls, ${((spent * 1000) / ciphers.calls).toFixed(1)} µs each, ${((100 * spent) / of('timed', ({ ms }) => ms)).toFixed(1)} % of the replay's time`);
  say(`  event loop meanwhile: p99 ${of('plain', ({ loop }) => loop.p99).toFixed(1)} ms, longest ${of('plain', ({ loop }) => loop.max).toFixed(1)} ms`);
};

/** d: the same queries, in turn over HTTP and on the ports (a copy of the same data, in this process). */
export const searches = async (platform, data, settings, documents, count) => {
  const ports = await openPorts(data, settings);
  // Queries of one strategy are not asked again for another: they would come out of the embedding cache.
  const all = queriesFrom(documents, (count + 10) * STRATEGIES.length);
  for (const strategy of STRATEGIES) {
    const http = [];
    const bare = [];
    const parts = {};
    for (const [i, query] of all.splice(0, count + 10).entries()) {
      const { result, ms } = await timed(() => platform.ask('POST', '/v1/search', { query, strategy }));
      const direct = await bareSearch(ports, query, strategy);
      if (i < 10) continue;
      if (result.hits.length === 0) throw new Error(`nothing found for ${query}`);
      http.push(ms);
      bare.push(direct.ms);
      for (const [name, part] of Object.entries(direct.parts)) (parts[name] ??= []).push(part);
      for (const stage of result.timings.stages) (parts[`platform's ${stage.stage}`] ??= []).push(stage.ms);
    }
    say(`${strategy}: HTTP ${p50p95(http)}; bare parts ${p50p95(bare)}`);
    say(`  HTTP / bare parts: ${(median(http) / median(bare)).toFixed(2)} at p50, ${(quantile(http, 0.95) / quantile(bare, 0.95)).toFixed(2)} at p95`);
    say(`  p50 of each: ${Object.entries(parts).map(([name, ms]) => `${name} ${median(ms).toFixed(2)}`).join(', ')}`);
  }
  await ports.close();
};

/** Searches while documents stream in, against the same searches before. */
export const searchesWhileIngesting = async (platform, documents, more, total) => {
  const queries = queriesFrom(documents, 120, 11);
  const search = (query) => timed(() => platform.ask('POST', '/v1/search', { query })).then(({ ms }) => ms);
  const quiet = [];
  for (const query of queries.slice(0, 60)) quiet.push(await search(query));
  let over = false;
  const ingesting = platform.submit(more).then(() => platform.settled(total)).finally(() => (over = true));
  const busy = [];
  for (let i = 0; !over; i++) busy.push(await search(queries[60 + (i % 60)]));
  await ingesting;
  say(`hybrid search: quiet ${p50p95(quiet)}; while ${more.length} documents stream in ${p50p95(busy)}, slowest ${Math.max(...busy).toFixed(0)} ms (${busy.length} searches)`);
  say(`  busy / quiet: ${(median(busy) / median(quiet)).toFixed(2)} at p50, ${(quantile(busy, 0.95) / quantile(quiet, 0.95)).toFixed(2)} at p95`);
};

/** e: an empty folder's start is the baseline. */
export const starts = async (empty, filled, settings, rounds) => {
  const samples = { empty: [], filled: [] };
  let chunks = 0;
  for (let round = 0; round < rounds; round++)
    for (const [name, folder] of [['empty', empty], ['filled', filled]]) {
      const platform = await PlatformProcess.start(folder, settings);
      await platform.ask('POST', '/v1/search', { query: 'is it ready' });
      samples[name].push({ ms: platform.readyAfterMs, ...platform.resident() });
      chunks = Math.max(chunks, (await platform.ask('GET', '/v1/status')).chunks);
      await platform.stop();
    }
  const of = (name, key) => median(samples[name].map((sample) => sample[key]));
  const mib = (name) => `${(of(name, 'own') / 2 ** 20).toFixed(0)} MiB resident + ${(of(name, 'children') / 2 ** 20).toFixed(0)} MiB of parsers`;
  say(`start to ready: empty ${of('empty', 'ms').toFixed(0)} ms (${mib('empty')}); with ${chunks} chunks ${of('filled', 'ms').toFixed(0)} ms (${mib('filled')}), after one search`);
  say(`  filled / empty: ${(of('filled', 'ms') / of('empty', 'ms')).toFixed(2)} of the time, ${((of('filled', 'own') - of('empty', 'own')) / chunks / 1024).toFixed(2)} KiB more per chunk`);
};

/** f: one small document at a time, on a quiet platform; a delete answers when it was appended and projected. */
export const lags = async (platform, count) => {
  const searchable = [];
  const submitted = [];
  const deleted = [];
  for (const [i, { text }] of syntheticDocuments(count, { sections: 1, seed: 99 }).entries()) {
    const word = `lagword${i}x${process.pid}`;
    const began = performance.now();
    const { documents: [document] } = await platform.ask('POST', '/v1/documents', { sourceId: `lag/${word}`, text: `${text}\n${word}\n` });
    submitted.push(performance.now() - began);
    for (let found = 0; found === 0; ) found = (await platform.ask('POST', '/v1/search', { query: word, strategy: 'SparseOnly' })).hits.filter(({ text: hit }) => hit.includes(word)).length;
    searchable.push(performance.now() - began);
    deleted.push((await timed(() => platform.ask('DELETE', `/v1/documents/${document.documentId}`))).ms);
  }
  const baseline = await timed(async () => {
    for (let i = 0; i < 20; i++) await platform.ask('GET', '/v1/knowledge-bases');
  });
  say(`one small document: searchable after ${p50p95(searchable)}; accepted after ${p50p95(submitted)}; deleted (appended and projected) after ${p50p95(deleted)}`);
  say(`  searchable / accepted: ${(median(searchable) / median(submitted)).toFixed(1)}; a plain read over HTTP takes ${(baseline.ms / 20).toFixed(1)} ms`);
};
