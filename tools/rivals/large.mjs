/**
 * `npm run bench:rivals:large`: speed on larger collections.
 *
 *   npm run bench:rivals:large [-- --chunks 200000] [--corpus <folder in BEIR layout>]... [--queries 500]     words
 *   npm run bench:rivals:large -- --vectors <file> --asked <file> [--dimensions 384] [--queries 300]          vectors
 *
 * Words: chunks of about 100 words, which are sentences of the corpora (without one: of the documentation of this repository), in lower case and without
 * anything but letters and digits, so that every engine has the same tokens. Long queries are questions of the corpora with 8 to 20 known
 * words; short ones are the three rarest known words of each question. Seeded: every run has the same ones.
 *
 * Vectors: two files of little-endian float32 values, the rows one after another; with a filter of one row of a hundred, too.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pythonEnvironment } from '../setup/python-environment.mjs';
import { beirCorpus, committedCorpus } from './corpus.mjs';
import { mean, printRow, quantile, runEngine } from './run-engine.mjs';

const K = 10;
const SENTENCE = { least: 3, most: 60 };
const CHUNK = { least: 20, mean: 100, spread: 35, most: 220 };
const LONG = { least: 8, most: 20 };
const FILTER = 100;

const WORDS = [
  { title: 'Palimpsest BM25', name: 'palimpsest-tokens', own: 'tokens' },
  { title: 'bm25s (numba), all queries in one call', name: 'bm25s-tokens' },
  { title: 'tantivy', name: 'tantivy-tokens' },
];
const VECTORS = [
  { title: 'Palimpsest scan, exact', name: 'palimpsest-vectors', own: 'vectors' },
  { title: 'usearch f16, HNSW', name: 'usearch' },
];
const FILTERED = [
  { title: 'Palimpsest scan, exact', name: 'palimpsest-filtered', own: 'filtered' },
  ...[1000, 4000, 16000].map((of) => ({ title: `usearch f16, the best ${of} without the others`, name: `usearch-filtered-${of}` })),
];

const diceOf = (seed) => {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
};
const tokensOf = (text) => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

/** Of each text its sentences, as tokens. */
const sentencesOf = (texts) =>
  texts.map((text) =>
    text
      .split(/(?<=[.!?])\s+|\n+/)
      .map((sentence) => tokensOf(sentence).slice(0, SENTENCE.most))
      .filter(({ length }) => length >= SENTENCE.least),
  );

/** Sentences that follow one another in a text; each fourth one is from another text. */
const chunksOf = (texts, count) => {
  const dice = diceOf(7);
  const documents = sentencesOf(texts).filter(({ length }) => length > 0);
  const pick = (items) => items[Math.floor(dice() * items.length)];
  const normal = () => Math.sqrt(-2 * Math.log(1 - dice())) * Math.cos(2 * Math.PI * dice());
  return Array.from({ length: count }, () => {
    const size = Math.round(Math.max(CHUNK.least, Math.min(CHUNK.most, CHUNK.mean + CHUNK.spread * normal())));
    const document = pick(documents);
    const tokens = [];
    for (let at = Math.floor(dice() * document.length); tokens.length < size;)
      tokens.push(...(dice() < 0.25 ? pick(pick(documents)) : document[at++ % document.length]));
    return tokens.slice(0, size).join(' ');
  });
};

const frequenciesOf = (chunks) => {
  const frequencies = new Map();
  for (const chunk of chunks) for (const word of new Set(chunk.split(' '))) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  return frequencies;
};

const queriesOf = (questions, frequencies, count) => {
  const known = questions.map((question) => [...new Set(tokensOf(question))].filter((word) => frequencies.has(word)));
  const rarest = (words) => [...words].sort((a, b) => frequencies.get(a) - frequencies.get(b)).slice(0, 3);
  const some = (queries) => queries.slice(0, count).map((words) => words.join(' '));
  return {
    short: some(known.filter(({ length }) => length >= 3).map(rarest)),
    long: some(known.filter(({ length }) => length >= LONG.least && length <= LONG.most)),
  };
};

const bytesOf = (rows) => Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength);

/** Writes what an engine reads. `vectors`, `asked`: Float32Array of all rows; empty ones for engines that use the words only. */
const writeInput = async (folder, { texts, queries, vectors, asked }) => {
  await writeFile(join(folder, 'texts.json'), JSON.stringify(texts));
  await writeFile(join(folder, 'queries.json'), JSON.stringify(queries));
  await writeFile(join(folder, 'vectors.f32'), bytesOf(vectors));
  await writeFile(join(folder, 'queries.f32'), bytesOf(asked));
};

/** @returns the share of the results of `found` that are in `exact`, too */
const shared = (found, exact) =>
  mean(found.map((places, at) => places.filter((place) => exact[at].includes(place)).length / Math.max(1, exact[at].length)));

/** Runs the engines in turn, the first one as the measure of the others. */
const compare = async (folder, engines, python) => {
  const head = [
    'engine',
    'p50 ms',
    'p95 ms',
    'CPU ms per query',
    'CPU, × Palimpsest',
    'results that Palimpsest has, too',
    'chunks per CPU s',
    'peak MB',
  ];
  printRow(head);
  printRow(head.map(() => '---'));
  const count = JSON.parse(await readFile(join(folder, 'texts.json'), 'utf8')).length;
  let first;
  for (const engine of engines) {
    const run = runEngine(engine, folder, python);
    first ??= run;
    printRow([
      engine.title,
      ...[quantile(run.times, 0.5), quantile(run.times, 0.95), run.cpuMs].map((ms) => ms.toFixed(3)),
      (run.cpuMs / first.cpuMs).toFixed(2),
      shared(run.found, first.found).toFixed(4),
      Math.round(count / (run.build.cpuMs / 1000)),
      Math.round(run.peakMb),
    ]);
  }
};

const compareWords = async (folder, python, { chunks: count, corpus: given, queries: max }) => {
  const corpora =
    given === undefined
      ? [await committedCorpus(Number(max))]
      : await Promise.all(given.map((each) => beirCorpus(resolve(each), Number(max))));
  const texts = chunksOf(
    corpora.flatMap((corpus) => corpus.texts),
    Number(count),
  );
  const questions = corpora.flatMap(({ queries }) => queries.map(({ text }) => text));
  const frequencies = frequenciesOf(texts);
  const nothing = new Float32Array(0);
  const postings = [...frequencies.values()].reduce((sum, each) => sum + each, 0);
  console.log(`${texts.length} chunks of ${corpora.map(({ name }) => name).join(', ')}: ${frequencies.size} words, ${postings} postings`);
  for (const [kind, queries] of Object.entries(queriesOf(questions, frequencies, Number(max)))) {
    const words = mean(queries.map((query) => query.split(' ').length));
    console.log(`\n${kind}: ${queries.length} queries of ${words.toFixed(1)} words, load average ${loadavg()[0].toFixed(1)}\n`);
    await writeInput(folder, { texts, queries, vectors: nothing, asked: nothing });
    await compare(folder, WORDS, python);
  }
};

const floatsOf = async (file) => {
  const { buffer, byteOffset, byteLength } = await readFile(resolve(file));
  return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
};

const compareVectors = async (folder, python, { vectors: file, asked: askedFile, dimensions, queries: max }) => {
  const width = Number(dimensions);
  const vectors = await floatsOf(file);
  const asked = (await floatsOf(askedFile)).subarray(0, Number(max) * width);
  const placeholders = (rows) => Array.from({ length: rows.length / width }, () => '');
  await writeInput(folder, { texts: placeholders(vectors), queries: placeholders(asked), vectors, asked });
  for (const [kind, engines] of Object.entries({ 'all rows': VECTORS, [`a filter of one row of ${FILTER}`]: FILTERED })) {
    console.log(
      `\n${vectors.length / width} vectors of ${width} dimensions, ${kind}: ${asked.length / width} queries, k ${K}, load average ${loadavg()[0].toFixed(1)}\n`,
    );
    await compare(folder, engines, python);
  }
};

const main = async (values) => {
  if ((values.vectors === undefined) !== (values.asked === undefined)) throw new Error('--vectors and --asked: expected both, or none');
  const python = join(pythonEnvironment('rivals', fileURLToPath(new URL('requirements.txt', import.meta.url)), 11), 'python');
  const folder = await mkdtemp(join(tmpdir(), 'rivals-'));
  try {
    console.log(`${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores`);
    await (values.vectors === undefined ? compareWords : compareVectors)(folder, python, values);
  } finally {
    await rm(folder, { recursive: true });
  }
};

const { values } = parseArgs({
  options: {
    chunks: { type: 'string', default: '200000' },
    corpus: { type: 'string', multiple: true },
    vectors: { type: 'string' },
    asked: { type: 'string' },
    dimensions: { type: 'string', default: '384' },
    queries: { type: 'string', default: '500' },
  },
});
await main(values).catch((error) => {
  console.error(`bench:rivals:large: ${error.message}`);
  process.exitCode = 1;
});
