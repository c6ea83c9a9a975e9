/**
 * What a plan of a swap to another chunking counts, and what the swap then builds. Linux, Node 24, after `npm run build`:
 *
 *   npx node tools/bench/chunking-plan.mjs [--folder <documents>] [--documents 800] [--plans 8]
 *
 * The model is a stand-in. Each plan has another seed, so each chunks other documents again. Without a folder, the documents are synthetic.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { folderDocuments, syntheticDocuments } from './lib/corpus.mjs';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';
import { median } from './lib/figures.mjs';
import { PlatformProcess } from './lib/platform-process.mjs';

const { values: options } = parseArgs({
  options: { folder: { type: 'string' }, documents: { type: 'string', default: '800' }, plans: { type: 'string', default: '8' } },
});
const [documents, plans] = [Number(options.documents), Number(options.plans)];
const SWAP = '/v1/scopes/deployment/swap';
/** Smaller than the default, so that documents of a folder get about twice as many chunks. */
const CHUNKING = { markdown: { maxChars: 500 }, tokens: { maxTokens: 120 } };

const percent = (share) => `${(100 * share).toFixed(1)} %`;

const corpus = options.folder === undefined ? syntheticDocuments(documents) : folderDocuments(options.folder, documents);
const standIn = await openEmbeddingStandIn();
const data = await mkdtemp(join(tmpdir(), 'palimpsest-chunking-plan-'));
try {
  const platform = await PlatformProcess.start(data, standIn.settings);
  const accepted = (await platform.submit(corpus)).filter(({ problem }) => problem === undefined);
  const { documents: counts } = await platform.settled(accepted.length);
  const made = [];
  for (let seed = 1; seed <= plans; seed++) {
    const began = performance.now();
    const plan = await platform.ask('POST', `${SWAP}/plan`, { chunking: CHUNKING, sample: 0, seed });
    made.push({ ...plan, seconds: (performance.now() - began) / 1_000 });
  }
  await platform.ask('POST', SWAP, { chunking: CHUNKING, cutover: 'manual' });
  let swap;
  while ((swap = await platform.ask('GET', SWAP)).state !== 'ready') await sleep(500);
  const { chunks } = swap.swap.built;
  console.log(`${counts.indexed} documents, ${made[0].rechunked.present} chunks; with the other chunking ${chunks}`);
  for (const { chunks: planned, rechunked, seconds } of made) {
    const error = rechunked.exact ? 'exact' : `± ${percent(rechunked.error)}`;
    console.log(`planned ${planned} (${percent(planned / chunks - 1)}; ${error}; ${rechunked.read} documents, ${seconds.toFixed(1)} s)`);
  }
  const off = made.map((plan) => Math.abs(plan.chunks / chunks - 1));
  const within = made.filter(({ rechunked }, at) => off[at] <= (rechunked.error ?? 0)).length;
  console.log(`median ${percent(median(off))} off, at most ${percent(Math.max(...off))}; ${within} of ${plans} within what they say`);
  console.log(
    `counting the present chunks would be ${percent(made[0].rechunked.present / chunks - 1)} off; load average ${loadavg()[0].toFixed(1)}`,
  );
  await platform.stop();
} finally {
  await rm(data, { recursive: true, force: true });
  await standIn.close();
}
