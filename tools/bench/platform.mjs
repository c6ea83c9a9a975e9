/**
 * Compares the platform end to end with its parts. Less than 3 minutes on an idle machine with the defaults. Linux, Node 24,
 * after `npm run build` (the platform runs from dist):
 *
 *   npx node tools/bench/platform.mjs [--documents 40] [--chunks 5000] [--threads 2] [--queries 60] [--rounds 3]
 *                                     [--folder <folder of .md, .txt, .html>] [--only real,large]
 *
 * real    `--documents` documents (synthetic and seeded, or those of `--folder`), embedded by the built-in MiniLM:
 *         ingestion from the first submission until all are indexed, compared with a bare ONNX loop over the same chunk texts (with `--threads 1` on
 *         two cores, the model has one to itself; with 2, everything else slows it down); the same folder again; rebuild; search over HTTP compared with direct calls of its parts; document to searchable
 * large   about `--chunks` chunks, embedded by an OpenAI-compatible stand-in on this machine whose vectors cost almost
 *         nothing (so its ingestion shows the cost of everything except the model); the same, and start to ready, memory, searches
 *         during ingestion, the share of sealing in a replay
 *
 * Compare ratios within one run. Other load on the machine hardly affects CPU time; other figures depend on it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { folderDocuments, syntheticDocuments } from './lib/corpus.mjs';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';
import { againstBareLoop, ingest, ingestAgain, rebuildOverHttp, replayInProcess, starts, warmUp } from './lib/filling-parts.mjs';
import { PlatformProcess } from './lib/platform-process.mjs';
import { lags, searches, searchesWhileIngesting } from './lib/search-parts.mjs';

const SECTIONS = 8;

const { values: options } = parseArgs({
  options: {
    documents: { type: 'string', default: '40' },
    chunks: { type: 'string', default: '5000' },
    threads: { type: 'string', default: '2' },
    queries: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '3' },
    folder: { type: 'string' },
    only: { type: 'string', default: 'real,large' },
  },
});
const [documents, chunks, threads, queries, rounds] = ['documents', 'chunks', 'threads', 'queries', 'rounds'].map((name) =>
  Number(options[name]),
);

/** Different documents for each round. */
const streams = (count) => Array.from({ length: rounds }, (_, round) => syntheticDocuments(count, { sections: SECTIONS, seed: 3 + round }));

const withRealModel = async (root) => {
  const data = join(root, 'real');
  const settings = { PALIMPSEST_EMBEDDING_THREADS: String(threads) };
  const corpus = options.folder ? folderDocuments(options.folder, documents) : syntheticDocuments(documents, { sections: SECTIONS });
  console.log(`\n== real: ${corpus.length} documents ${options.folder ? `of ${options.folder}` : '(synthetic)'}, MiniLM int8`);
  let platform = await PlatformProcess.start(data, settings);
  await warmUp(platform);
  const first = await ingest(platform, corpus);
  await ingestAgain(platform, corpus, first);
  const texts = await platform.chunkTexts();
  await platform.stop();
  await againstBareLoop(first, texts, threads, Math.min(2, rounds));
  platform = await PlatformProcess.start(data, settings);
  await rebuildOverHttp(platform, first);
  await searchesWhileIngesting(platform, corpus, streams(corpus.length));
  await platform.stop();
  await replayInProcess(data, settings, rounds, first);
  // The folder does not change now: a copy of it is opened next to the platform that serves it.
  await whileServing(data, settings, async (serving) => {
    await searches(serving, data, settings, corpus, queries);
    await lags(serving, 20);
  });
};

const withStandIn = async (root) => {
  const data = join(root, 'large');
  const standIn = await openEmbeddingStandIn();
  const { settings } = standIn;
  const corpus = syntheticDocuments(Math.ceil(chunks / SECTIONS), { sections: SECTIONS, seed: 2 });
  console.log(`\n== large: ${corpus.length} documents (synthetic), embedded by a local stand-in`);
  const platform = await PlatformProcess.start(data, settings);
  const first = await ingest(platform, corpus);
  console.log(
    `ingested ${first.chunks} chunks in ${(first.ms / 1000).toFixed(2)} s: ${((first.cpuMs * 1000) / first.chunks).toFixed(0)} µs CPU per chunk without a model`,
  );
  await ingestAgain(platform, corpus, first, standIn.texts);
  await rebuildOverHttp(platform, first, standIn.texts);
  await searchesWhileIngesting(platform, corpus, streams(corpus.length));
  await platform.stop();
  await starts(join(root, 'empty'), data, settings, rounds);
  await replayInProcess(data, settings, rounds, first);
  await whileServing(data, settings, async (serving) => {
    await searches(serving, data, settings, corpus, queries);
    await lags(serving, 20);
  });
  await standIn.close();
};

const whileServing = async (data, settings, work) => {
  const platform = await PlatformProcess.start(data, settings);
  await work(platform);
  await platform.stop();
};

const root = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
console.log(
  `${new Date().toISOString()}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load average ${loadavg()[0].toFixed(1)}`,
);
try {
  if (options.only.includes('real')) await withRealModel(root);
  if (options.only.includes('large')) await withStandIn(root);
} finally {
  await rm(root, { recursive: true, force: true });
}
console.log(`\nload average at the end ${loadavg()[0].toFixed(1)}`);
