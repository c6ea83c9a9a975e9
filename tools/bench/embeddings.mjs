/**
 * The overhead of the ONNX provider compared with a bare loop around the model, and the latency of a query.
 *
 *   node --conditions=@palimpsest/source tools/bench/embeddings.mjs [--texts 200] [--words 40] [--threads 2] [--rounds 3]
 *
 * Provider and bare loop alternate within one run, on the same texts with the same number of threads. Compare the ratios,
 * since absolute figures depend on the machine and its other load.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from '@palimpsest/adapters-onnx/runtime';

const FOLDER = fileURLToPath(new URL('../../models/all-minilm-l6-v2-int8/', import.meta.url));
const WORDS = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8').match(/[a-z]{2,}/gi);

/** Words of this repository, in the same order in every run. */
const makeTexts = (count, words) => {
  let state = 1;
  const next = () => (state = (state * 48_271) % 2_147_483_647);
  return Array.from({ length: count }, () => Array.from({ length: words }, () => WORDS[next() % WORDS.length]).join(' '));
};

/** The minimum work: split, run, sum, scale. Texts are distributed beforehand, and nothing is sent back. */
const bareLoop = async () => {
  const tokenizer = new Tokenizer(JSON.parse(readFileSync(`${FOLDER}tokenizer.json`, 'utf8')), {});
  const session = await InferenceSession.create(`${FOLDER}model.onnx`, {
    executionProviders: ['cpu'],
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  const embed = async (text) => {
    const all = tokenizer.encode(text).ids;
    const ids = all.length > 256 ? [...all.slice(0, 255), all.at(-1)] : all;
    const tensor = (values) => new Tensor('int64', values, [1, ids.length]);
    const { last_hidden_state: output } = await session.run({
      input_ids: tensor(BigInt64Array.from(ids, BigInt)),
      attention_mask: tensor(new BigInt64Array(ids.length).fill(1n)),
      token_type_ids: tensor(new BigInt64Array(ids.length)),
    });
    const vector = new Float32Array(384);
    for (let i = 0; i < output.data.length; i++) vector[i % 384] += output.data[i];
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  };
  await embed('warm up');
  parentPort.on('message', async () => {
    for (const text of workerData) await embed(text);
    parentPort.postMessage('done');
  });
  parentPort.postMessage('ready');
};

const message = (worker) => new Promise((resolve) => worker.once('message', resolve));
const timed = async (work) => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};
/** Wall and CPU time (all threads), ms. Other load on the machine hardly affects CPU time. */
const measured = async (work) => {
  const before = process.cpuUsage();
  const wall = await timed(work);
  const { user, system } = process.cpuUsage(before);
  return { wall, cpu: (user + system) / 1000 };
};
const median = (samples, key) =>
  quantile(
    samples.map((sample) => sample[key]),
    0.5,
  );
const quantile = (values, q) => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))];
const inMs = (values) => `p50 ${quantile(values, 0.5).toFixed(1)} ms, p95 ${quantile(values, 0.95).toFixed(1)} ms`;

const main = async () => {
  const { values } = parseArgs({
    options: {
      texts: { type: 'string', default: '200' },
      words: { type: 'string', default: '40' },
      threads: { type: 'string', default: String(Math.min(4, availableParallelism())) },
      rounds: { type: 'string', default: '3' },
    },
  });
  const [threads, rounds] = [Number(values.threads), Number(values.rounds)];
  const texts = makeTexts(Number(values.texts), Number(values.words));

  const { openOnnxEmbeddings } = await import('@palimpsest/adapters-onnx');
  let provider;
  const opened = await timed(async () => (provider = await openOnnxEmbeddings({ threads })));
  await provider.embed(texts.slice(0, 8 * threads), 'passage');
  const rss = process.memoryUsage().rss / 1e6;
  const loops = Array.from(
    { length: threads },
    (_, t) => new Worker(new URL(import.meta.url), { workerData: texts.filter((_, i) => i % threads === t) }),
  );
  await Promise.all(loops.map(message));
  console.log(
    `${provider.version}, ${threads} threads, ${texts.length} texts of ${values.words} words; opened in ${opened.toFixed(0)} ms, ${rss.toFixed(0)} MB resident`,
  );

  const samples = { provider: [], bare: [] };
  for (let round = 0; round < rounds; round++) {
    samples.provider.push(await measured(() => provider.embed(texts, 'passage')));
    samples.bare.push(await measured(() => Promise.all(loops.map((loop) => (loop.postMessage('go'), message(loop))))));
  }
  for (const [name, taken] of Object.entries(samples)) {
    const [wall, cpu] = [median(taken, 'wall'), median(taken, 'cpu')];
    console.log(
      `${name}: ${((texts.length * 1000) / wall).toFixed(0)} texts/s, ${(cpu / texts.length).toFixed(2)} ms CPU per text (median of ${rounds})`,
    );
  }
  const ratio = (key) => (median(samples.bare, key) / median(samples.provider, key)).toFixed(3);
  console.log(`provider / bare loop: ${ratio('wall')} of its throughput, ${ratio('cpu')} of its texts per CPU second`);
  for (const loop of loops) await loop.terminate();

  const queryOnce = (i) => timed(() => provider.embed([`how is step ${i} done again`], 'query'));
  const idle = [];
  for (let i = 0; i < 30; i++) idle.push(await queryOnce(i));
  const busy = [];
  while (busy.length < 30) {
    let queued = true;
    const passages = provider.embed(makeTexts(200, Number(values.words)), 'passage').then(() => (queued = false));
    while (queued && busy.length < 30) busy.push(await queryOnce(busy.length));
    await passages;
  }
  console.log(`query, idle: ${inMs(idle)}\nquery, 200 passages queued: ${inMs(busy)}`);
  await provider.close();
};

await (isMainThread ? main() : bareLoop());
