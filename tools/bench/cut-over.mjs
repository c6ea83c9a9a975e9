/**
 * How long does a cut-over or roll back take, and when does every replica answer from the new generation? Without other requests; for those
 * under load, see `swap-kills.mjs`. Linux, Node 24, after `npm run build`, about a minute:
 *
 *   npx node tools/bench/cut-over.mjs [--rounds 20] [--documents 300] [--services]
 *
 * `--services`: three services with two replicas of the query service instead of the embedded platform. Both models are stand-ins.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';
import { quantile, timed } from './lib/figures.mjs';
import { killableEmbedded, killableServices } from './lib/killable.mjs';
import { answersFrom } from './lib/swap-searches.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    documents: { type: 'string', default: '300' },
    services: { type: 'boolean', default: false },
  },
});
const [rounds, documents] = [Number(options.rounds), Number(options.documents)];
const SWAP = '/v1/scopes/deployment/swap';
const PAUSE_MS = 400;
const textOf = (n) => `harbour${n} received ships${n} with rope${n} and salt${n}.`;

const root = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
const standIn = await openEmbeddingStandIn();
const platform = await (options.services ? killableServices : killableEmbedded)(root, standIn.settings);
try {
  await platform.submit(Array.from({ length: documents }, (_, n) => ({ name: `${n}.md`, text: textOf(n) })));
  await platform.settled(documents);
  await platform.ask('POST', '/v1/models', {
    openai: { baseUrl: standIn.settings.PALIMPSEST_OPENAI_BASE_URL, model: 'bench-stand-in-b', dimensions: 384 },
  });
  await platform.ask('POST', SWAP, { embeddingVersion: 'openai:bench-stand-in-b/384', cutover: 'manual' });
  while ((await platform.ask('GET', SWAP)).state !== 'ready') await sleep(50);
  const figures = { cutover: [], rollback: [], everywhere: [] };
  for (let round = 0; round < rounds; round++)
    for (const action of ['cutover', 'rollback']) {
      await sleep(PAUSE_MS);
      const { ms, result } = await timed(() => platform.ask('POST', `${SWAP}/${action}`, {}));
      const { generation } = result.generations.find(({ status }) => status === 'active');
      const search = { query: textOf(0), key: platform.apiKey, generation };
      const followed = await timed(() => Promise.all(platform.replicas().map((url) => answersFrom(url, search))));
      // The first ones compile the code.
      if (round === 0) continue;
      figures[action].push(ms);
      figures.everywhere.push(followed.ms);
    }
  const shown = (ms) => [0.5, 0.95, 1].map((q) => quantile(ms, q).toFixed(0)).join(', ');
  console.log(`${rounds - 1} rounds, ms at p50, p95, and at most; load average ${loadavg()[0].toFixed(1)}`);
  console.log(`cut over ${shown(figures.cutover)}; roll back ${shown(figures.rollback)}`);
  console.log(`after the response, until every replica answers from the generation ${shown(figures.everywhere)}`);
} finally {
  await platform.close();
  await standIn.close();
  await rm(root, { recursive: true, force: true, maxRetries: 10 });
}
