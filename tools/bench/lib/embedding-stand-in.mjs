import { createServer } from 'node:http';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { seededRandom } from './figures.mjs';

/**
 * An OpenAI-compatible endpoint with vectors that cost almost nothing: the sum of one seeded random vector per word, 384
 * dimensions, so that texts with common words are near each other. For corpora that a real model would need hours for. It runs in
 * its own thread; `texts()` returns the number of texts embedded so far. Models with other names have other vectors.
 */
const DIMENSIONS = 384;
const MODEL = 'bench-stand-in';

export const openEmbeddingStandIn = async () => {
  const worker = new Worker(new URL(import.meta.url));
  const answer = () => new Promise((resolve) => worker.once('message', resolve));
  const port = await answer();
  return {
    settings: {
      PALIMPSEST_OPENAI_MODEL: MODEL,
      PALIMPSEST_OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      PALIMPSEST_OPENAI_DIMENSIONS: String(DIMENSIONS),
      PALIMPSEST_OPENAI_API_KEY: 'none',
    },
    texts: () => (worker.postMessage('texts'), answer()),
    close: () => worker.terminate(),
  };
};

const serve = () => {
  const known = new Map();
  let texts = 0;
  const vectorOf = (word, model) => {
    const key = model === MODEL ? word : `${model} ${word}`;
    const vector = known.get(key);
    if (vector) return vector;
    const random = seededRandom([...key].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193), 0x811c9dc5));
    const made = Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
    known.set(key, made);
    return made;
  };
  const embed = (text, model) => {
    const sum = new Float32Array(DIMENSIONS);
    for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? ['']) {
      const vector = vectorOf(word, model);
      for (let i = 0; i < DIMENSIONS; i++) sum[i] += vector[i];
    }
    return Buffer.from(sum.buffer).toString('base64');
  };
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { model, input } = JSON.parse(Buffer.concat(parts).toString());
    texts += input.length;
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: embed(text, model) }));
    const tokens = input.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ object: 'list', model, data, usage: { prompt_tokens: tokens, total_tokens: tokens } }));
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
  parentPort.on('message', () => parentPort.postMessage(texts));
};

if (!isMainThread) serve();
