import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from '@palimpsest/adapters-onnx/runtime';

/**
 * The minimum work to embed texts with the built-in model: split, run, sum, scale, one text per call, in
 * several threads with a session each. Nothing is sealed, stored or sent; each thread takes the next text when it is free.
 */
const FOLDER = fileURLToPath(new URL('../../../models/all-minilm-l6-v2-int8/', import.meta.url));
const MAX_TOKENS = 256;
const DIMENSIONS = 384;

/** Opens the threads; `run` embeds all texts once. */
export const openBareLoop = async (texts, threads) => {
  const next = new Int32Array(new SharedArrayBuffer(4));
  const workers = Array.from({ length: threads }, () => new Worker(new URL(import.meta.url), { workerData: { texts, next } }));
  const answers = () =>
    Promise.all(workers.map((worker) => new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))));
  await answers();
  return {
    run: async () => {
      next[0] = 0;
      for (const worker of workers) worker.postMessage('go');
      await answers();
    },
    close: () => Promise.all(workers.map((worker) => worker.terminate())),
  };
};

const work = async ({ texts, next }) => {
  const tokenizer = new Tokenizer(JSON.parse(readFileSync(`${FOLDER}tokenizer.json`, 'utf8')), {});
  const session = await InferenceSession.create(`${FOLDER}model.onnx`, {
    executionProviders: ['cpu'],
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  const embed = async (text) => {
    const all = tokenizer.encode(text).ids;
    const ids = all.length > MAX_TOKENS ? [...all.slice(0, MAX_TOKENS - 1), all.at(-1)] : all;
    const tensor = (values) => new Tensor('int64', values, [1, ids.length]);
    const { last_hidden_state: output } = await session.run({
      input_ids: tensor(BigInt64Array.from(ids, BigInt)),
      attention_mask: tensor(new BigInt64Array(ids.length).fill(1n)),
      token_type_ids: tensor(new BigInt64Array(ids.length)),
    });
    const vector = new Float32Array(DIMENSIONS);
    for (let i = 0; i < output.data.length; i++) vector[i % DIMENSIONS] += output.data[i];
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  };
  await embed('warm up');
  parentPort.on('message', async () => {
    for (let i = Atomics.add(next, 0, 1); i < texts.length; i = Atomics.add(next, 0, 1)) await embed(texts[i]);
    parentPort.postMessage('done');
  });
  parentPort.postMessage('ready');
};

if (!isMainThread) await work(workerData);
