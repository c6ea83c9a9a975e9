/**
 * How much does the codec of vectors compress, and what does it lose? Some minutes for each set the first time, then half a minute.
 *
 *   node --conditions=@palimpsest/source tools/bench/codec.mjs <folder in BEIR layout>... [--texts 10000] [--queries 300]
 *
 * The sentences of each corpus and its judged queries are embedded by the built-in model; vectors are kept in `node_modules/.cache/codec`.
 * For each query, the ten nearest sentences by float32 are compared with the ten best estimates (recall@10), and with the ten nearest of
 * the hundred best estimates, measured by float32 ("re-ranked"). "nearest first" is how often the best estimate is that of the nearest
 * sentence (recall@1 of others). `error` is that of decoded vectors, relative to their length. Rates are per second of CPU time.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { VectorCodec } from '@palimpsest/adapters-vector-scan';
import { readTestSet } from '../../apps/cli/src/evaluation/beir-folder.ts';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/codec', import.meta.url));
const MIN_CHARACTERS = 12;
const MIN_RATE_SECONDS = 0.5;
const [K, RERANKED] = [10, 100];
const FORMS = [
  { bits: 8 },
  { bits: 4 },
  { bits: 2 },
  { bits: 1 },
  { bits: 8, residualSign: true },
  { bits: 4, residualSign: true },
  { bits: 2, residualSign: true },
];

const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: { texts: { type: 'string', default: '10000' }, queries: { type: 'string', default: '300' } },
});

/** At most `max`, spread over all of them. */
const evenly = (items, max) =>
  items.length <= max ? items : Array.from({ length: max }, (_, at) => items[Math.floor((at * items.length) / max)]);

const sentencesOf = (corpus) => [
  ...new Set(
    corpus
      .flatMap(({ text }) => text.split(/\n+|(?<=[.!?]) +/))
      .map((sentence) => sentence.trim())
      .filter((sentence) => sentence.length >= MIN_CHARACTERS),
  ),
];

/** One after the other, in one array. */
const embedded = async (provider, texts, purpose) => {
  const digest = createHash('sha256')
    .update(JSON.stringify([provider.version, purpose, texts]))
    .digest('hex');
  const file = join(CACHE, `${digest.slice(0, 32)}.f32`);
  if (existsSync(file)) return new Float32Array(new Uint8Array(readFileSync(file)).buffer);
  const vectors = [];
  for (let from = 0; from < texts.length; from += 200)
    for (const { vector } of await provider.embed(texts.slice(from, from + 200), purpose)) vectors.push(vector);
  const all = new Float32Array(vectors.length * vectors[0].length);
  vectors.forEach((vector, i) => all.set(vector, i * vector.length));
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(file, new Uint8Array(all.buffer));
  return all;
};

const rowsOf = (all, dimensions) =>
  Array.from({ length: all.length / dimensions }, (_, i) => all.subarray(i * dimensions, (i + 1) * dimensions));

const product = (a, b) => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};

/** The `k` of `rows` (numbers) with the highest scores; of equal ones, those that come first. */
const best = (rows, k, scoreOf) =>
  rows
    .map((row) => [row, scoreOf(row)])
    .sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || a - b)
    .slice(0, k)
    .map(([row]) => row);

const shared = (found, expected) => found.filter((row) => expected.includes(row)).length / expected.length;
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Calls of `work` per second of CPU time, for item after item. */
const rateOf = (items, work) => {
  for (const item of items) work(item);
  const began = process.cpuUsage();
  let [calls, seconds] = [0, 0];
  while (seconds < MIN_RATE_SECONDS) {
    for (const item of items) work(item);
    calls += items.length;
    const { user, system } = process.cpuUsage(began);
    seconds = (user + system) / 1e6;
  }
  return Math.round(calls / seconds);
};

const { openOnnxEmbeddings } = await import('@palimpsest/adapters-onnx');
const provider = await openOnnxEmbeddings({ threads: 2 });
const dimensions = (await provider.embed(['one'], 'query'))[0].vector.length;

const measure = (vectors, queries) => {
  const all = vectors.map((_, row) => row);
  const exact = queries.map((query) => best(all, K, (row) => product(query, vectors[row])));
  for (const form of FORMS) {
    const codec = new VectorCodec({ dimensions, ...form });
    const codes = vectors.map((vector) => codec.encode(vector));
    const [plain, first, reranked] = [[], [], []];
    queries.forEach((query, i) => {
      const prepared = codec.query(query);
      const candidates = best(all, RERANKED, (row) => codec.innerProduct(prepared, codes[row]));
      plain.push(shared(candidates.slice(0, K), exact[i]));
      first.push(candidates[0] === exact[i][0] ? 1 : 0);
      const measured = best(
        candidates.toSorted((a, b) => a - b),
        K,
        (row) => product(query, vectors[row]),
      );
      reranked.push(shared(measured, exact[i]));
    });
    const errors = vectors.map((vector, row) => {
      const decoded = codec.decode(codes[row]);
      return Math.hypot(...decoded.map((value, i) => value - vector[i])) / Math.hypot(...vector);
    });
    const bytes = codec.bytes;
    console.log(
      `  ${form.bits} bits${form.residualSign ? ', one the sign of the residual' : ''}: ${bytes} bytes, ${((4 * dimensions) / bytes).toFixed(1)} x; ` +
        `recall@10 ${mean(plain).toFixed(3)}, re-ranked ${mean(reranked).toFixed(3)}, nearest first ${mean(first).toFixed(3)}; error ${mean(errors).toFixed(4)}`,
    );
  }
};

const rates = (vectors) => {
  for (const form of FORMS) {
    const codec = new VectorCodec({ dimensions, ...form });
    const codes = vectors.map((vector) => codec.encode(vector));
    const stored = codes.map((code) => codec.serialise(code));
    const query = codec.query(vectors[0]);
    const each = {
      encode: rateOf(vectors, (vector) => codec.serialise(codec.encode(vector))),
      decode: rateOf(stored, (bytes) => codec.decode(codec.parse(bytes))),
      innerProduct: rateOf(codes, (code) => codec.innerProduct(query, code)),
    };
    console.log(
      `  ${form.bits} bits${form.residualSign ? ', one the sign of the residual' : ''}: per CPU second ${each.encode} encoded and serialised, ` +
        `${each.decode} parsed and decoded, ${each.innerProduct} inner products`,
    );
  }
};

let sample = [];
for (const folder of folders) {
  const { name, corpus, queries: asked } = await readTestSet(folder);
  const texts = evenly(sentencesOf(corpus), Number(options.texts));
  const questions = evenly(asked, Number(options.queries)).map(({ text }) => text);
  const vectors = rowsOf(await embedded(provider, texts, 'passage'), dimensions);
  const queries = rowsOf(await embedded(provider, questions, 'query'), dimensions);
  console.log(`${name}: ${vectors.length} sentences, ${queries.length} queries, ${dimensions} dimensions`);
  measure(vectors, queries);
  sample = vectors.slice(0, 1000);
}
await provider.close();
if (sample.length === 0) throw new Error('name at least one folder in BEIR layout');
console.log('rates');
rates(sample);
