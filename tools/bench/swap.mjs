/**
 * The time of a swap against a bare embedding loop over the same texts, in turns on the same machine: to the built-in model, which
 * shares the cores with the platform, or to a model elsewhere. Linux, Node 24, after `npm run build`; about three minutes:
 *
 *   npx node tools/bench/swap.mjs [--documents 40] [--rounds 2] [--threads 2] [--elsewhere <milliseconds per 1,000 characters>]
 *
 * `--elsewhere`: an endpoint that takes this time for the characters of a request and no core; four requests of 31 texts at the same time.
 *
 * The documents are indexed with a stand-in that costs almost nothing. A swap is complete when its generation is ready; each round
 * starts on a copy of the same data folder. The loop gets the texts as the platform sends them, and neither seals nor stores vectors.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openBareLoop } from './lib/bare-onnx.mjs';
import { syntheticDocuments } from './lib/corpus.mjs';
import { openSlowModel, perCharacters } from './lib/distributed-slow-model.mjs';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';
import { median, timed } from './lib/figures.mjs';
import { PlatformProcess } from './lib/platform-process.mjs';

const { values: options } = parseArgs({
  options: {
    documents: { type: 'string', default: '40' },
    rounds: { type: 'string', default: '2' },
    threads: { type: 'string', default: '2' },
    elsewhere: { type: 'string' },
  },
});
const [documents, rounds, threads] = ['documents', 'rounds', 'threads'].map((name) => Number(options[name]));
const POLL_MS = 50;
const SWAP = '/v1/scopes/deployment/swap';
/** Requests at the same time: the limit of the model elsewhere. Texts of a request. */
const [LANES, BATCH] = [4, 31];
const ELSEWHERE = 'bench-stand-in-b';

/** Sends the texts to an endpoint, and does nothing with the vectors. */
const remoteLoop = ({ PALIMPSEST_OPENAI_BASE_URL: url }, texts) => {
  const batches = Array.from({ length: Math.ceil(texts.length / BATCH) }, (_, i) => texts.slice(i * BATCH, (i + 1) * BATCH));
  const lane = async (left) => {
    for (const input of left) {
      const body = JSON.stringify({ model: ELSEWHERE, input, encoding_format: 'base64' });
      await (await fetch(`${url}/embeddings`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).json();
    }
  };
  return {
    run: () => {
      const left = batches.values();
      return Promise.all(Array.from({ length: LANES }, () => lane(left)));
    },
    close: async () => undefined,
  };
};

const swapped = async (folder, settings) => {
  const platform = await PlatformProcess.start(folder, { ...settings, PALIMPSEST_REEMBEDDING_CONCURRENCY: String(threads) });
  try {
    if (slow)
      await platform.ask('POST', '/v1/models', {
        openai: { baseUrl: slow.settings.PALIMPSEST_OPENAI_BASE_URL, model: ELSEWHERE, dimensions: 384 },
        limits: { concurrency: LANES },
      });
    const available = (await platform.ask('GET', '/v1/status')).models.available;
    const embeddingVersion = available.find((version) => version.startsWith(slow ? `openai:${ELSEWHERE}` : 'onnx:'));
    const { ms } = await timed(async () => {
      await platform.ask('POST', SWAP, { embeddingVersion, cutover: 'manual' });
      while ((await platform.ask('GET', SWAP)).state !== 'ready') await sleep(POLL_MS);
    });
    return ms;
  } finally {
    await platform.stop();
  }
};

const root = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
const standIn = await openEmbeddingStandIn();
const slow = options.elsewhere === undefined ? undefined : await openSlowModel(standIn.settings, perCharacters(Number(options.elsewhere)));
console.log(
  `${new Date().toISOString()}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load average ${loadavg()[0].toFixed(1)}`,
);
try {
  const filled = join(root, 'filled');
  const platform = await PlatformProcess.start(filled, standIn.settings);
  await platform.submit(syntheticDocuments(documents));
  for (;;) {
    const { indexed } = (await platform.ask('GET', '/v1/status')).documents;
    if (indexed === documents) break;
    await sleep(POLL_MS);
  }
  const texts = await platform.chunkTexts();
  await platform.stop();
  const loop = slow ? remoteLoop(slow.settings, texts) : await openBareLoop(texts, threads);
  const ms = { loop: [], swap: [] };
  for (let round = 0; round < rounds; round++) {
    ms.loop.push((await timed(() => loop.run())).ms);
    const folder = join(root, `round-${round}`);
    await cp(filled, folder, { recursive: true });
    ms.swap.push(await swapped(folder, standIn.settings));
  }
  await loop.close();
  const row = (all) => ({ 'median s': (median(all) / 1_000).toFixed(2), 'chunks/s': Math.round((texts.length * 1_000) / median(all)) });
  console.log(
    `\n${documents} documents, ${texts.length} chunks, ${slow ? `${options.elsewhere} ms per 1,000 characters elsewhere` : `${threads} threads`}`,
  );
  console.table({ 'bare loop': row(ms.loop), swap: row(ms.swap) });
  console.log(`a swap takes ${(median(ms.swap) / median(ms.loop)).toFixed(2)} times as long as the loop`);
} finally {
  await slow?.close();
  await standIn.close();
  await rm(root, { recursive: true, force: true });
}
console.log(`\nload average at the end ${loadavg()[0].toFixed(1)}`);
