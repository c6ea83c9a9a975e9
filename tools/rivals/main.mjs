/**
 * `npm run bench:rivals`: the indexes of Palimpsest next to bm25s, tantivy, usearch, Chroma, LanceDB and the local mode of Qdrant, on the same
 * corpus, vectors and machine. Prints one table of speed and quality.
 *
 *   npm run bench:rivals [-- --corpus <folder in BEIR layout>] [--queries 1000] [--only <engine>]...     (after `npm run build`)
 *
 * The others are installed from PyPI, pinned, into node_modules/.cache/rivals (1.2 GB, minutes, once). Each engine runs alone in a process of its own,
 * with one thread where it has a setting for that. README.md has the parameters.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openOnnxEmbeddings } from '@palimpsest/adapters-onnx';
import { embedPassages, embedQuery } from '@palimpsest/contracts';
import { measureNamed } from '@palimpsest/evaluation';
import { pythonEnvironment } from '../setup/python-environment.mjs';
import { beirCorpus, committedCorpus } from './corpus.mjs';
import { mean, printRow, quantile, runEngine } from './run-engine.mjs';

const K = 10;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const CACHE = here('../../node_modules/.cache/rivals');
const MEASURES = ['nDCG@10', 'R@10'].map(measureNamed);

/** `dense`: compared with the exact neighbours. */
const ENGINES = {
  'palimpsest-words': { title: 'Palimpsest BM25', own: 'words' },
  bm25s: { title: 'bm25s (numba)' },
  tantivy: { title: 'tantivy' },
  'lancedb-words': { title: 'LanceDB full text' },
  'palimpsest-vectors': { title: 'Palimpsest scan, exact', own: 'vectors', dense: true },
  'usearch-exact': { title: 'usearch f32, exact', dense: true },
  usearch: { title: 'usearch f16, HNSW', dense: true },
  chroma: { title: 'Chroma, HNSW', dense: true },
  lancedb: { title: 'LanceDB, exact', dense: true },
  qdrant: { title: 'Qdrant local mode, exact', dense: true },
};
/** One vector for each text and query, from the built-in model; kept in the cache, since they cost more than all searches. */
const vectorsOf = async ({ texts, queries }) => {
  const provider = await openOnnxEmbeddings({ threads: 2 });
  try {
    const digest = createHash('sha256').update(JSON.stringify([provider.version, texts, queries.map(({ text }) => text)]));
    const file = join(CACHE, `vectors-${digest.digest('hex').slice(0, 16)}.f32`);
    const count = texts.length + queries.length;
    if (!existsSync(file)) {
      console.error(`embedding ${count} texts …`);
      const rows = [];
      for (const text of texts) rows.push((await embedPassages(provider, [{ text, contextPrefix: '', headings: [] }]))[0].vector);
      for (const { text } of queries) rows.push(await embedQuery(provider, text));
      await mkdir(CACHE, { recursive: true });
      await writeFile(`${file}.part`, Buffer.concat(rows.map((row) => Buffer.from(row.buffer, row.byteOffset, row.byteLength))));
      // Only a complete file has the name.
      await rename(`${file}.part`, file);
    }
    const bytes = await readFile(file);
    const all = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
    const width = all.length / count;
    const rows = Array.from({ length: count }, (_, at) => all.subarray(at * width, (at + 1) * width));
    return { rows: rows.slice(0, texts.length), asked: rows.slice(texts.length), version: provider.version };
  } finally {
    await provider.close?.();
  }
};

/** Of each query the score of every text, and the lowest of the best ten. */
const exactNeighbours = ({ rows, asked }) =>
  asked.map((query) => {
    const scores = rows.map((row) => row.reduce((sum, value, at) => sum + value * query[at], 0));
    return { scores, floor: [...scores].sort((a, b) => b - a)[Math.min(K, scores.length) - 1] };
  });

/** The share of results that are among the exact best ten; equal scores count. */
const exactShare = (found, neighbours) =>
  mean(found.map((places, at) => places.filter((place) => neighbours[at].scores[place] >= neighbours[at].floor - 1e-6).length / K));

const rowOf = (name, { build, times, cpuMs, peakMb, found }, { texts, queries }, neighbours) => {
  const { title, dense } = ENGINES[name];
  const [ndcg, recall] = MEASURES.map((measure) => mean(found.map((places, at) => measure.of(places, queries[at].judgements))));
  return [
    title,
    ...[ndcg, recall].map((value) => value.toFixed(4)),
    dense ? exactShare(found, neighbours).toFixed(4) : '–',
    ...[quantile(times, 0.5), quantile(times, 0.95), cpuMs].map((ms) => ms.toFixed(3)),
    Math.round(texts.length / (build.cpuMs / 1000)),
    Math.round(peakMb),
  ];
};

const HEAD = ['engine', 'nDCG@10', 'recall@10', 'of the exact 10', 'p50 ms', 'p95 ms', 'CPU ms', 'texts per CPU s', 'peak MB'];

const main = async ({ corpus: given, queries: max, only = Object.keys(ENGINES) }) => {
  const unknown = only.find((name) => !Object.hasOwn(ENGINES, name));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: expected one of ${Object.keys(ENGINES).join(', ')}`);
  if (!(Number(max) >= 1)) throw new Error(`--queries ${max}: expected a number of queries`);
  const bin = only.some((name) => !ENGINES[name].own) ? pythonEnvironment('rivals', here('requirements.txt'), 11) : '';
  const corpus = given === undefined ? await committedCorpus(Number(max)) : await beirCorpus(resolve(given), Number(max));
  const vectors = await vectorsOf(corpus);
  const neighbours = exactNeighbours(vectors);
  const folder = await mkdtemp(join(tmpdir(), 'rivals-'));
  try {
    await writeFile(join(folder, 'texts.json'), JSON.stringify(corpus.texts));
    await writeFile(join(folder, 'queries.json'), JSON.stringify(corpus.queries.map(({ text }) => text)));
    for (const [name, rows] of [
      ['vectors', vectors.rows],
      ['queries', vectors.asked],
    ])
      // prettier-ignore
      await writeFile(join(folder, `${name}.f32`), Buffer.concat(rows.map((row) => Buffer.from(row.buffer, row.byteOffset, row.byteLength))));
    console.log(`${corpus.name}: ${corpus.texts.length} texts, ${corpus.queries.length} queries; vectors of ${vectors.version}`);
    console.log(`${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, load average ${loadavg()[0].toFixed(1)}\n`);
    printRow(HEAD);
    printRow(HEAD.map(() => '---'));
    for (const name of only)
      printRow(rowOf(name, runEngine({ name, own: ENGINES[name].own }, folder, join(bin, 'python')), corpus, neighbours));
  } finally {
    await rm(folder, { recursive: true });
  }
};

const { values } = parseArgs({
  options: { corpus: { type: 'string' }, queries: { type: 'string', default: '1000' }, only: { type: 'string', multiple: true } },
});
await main(values).catch((error) => {
  console.error(`bench:rivals: ${error.message}`);
  process.exitCode = 1;
});
