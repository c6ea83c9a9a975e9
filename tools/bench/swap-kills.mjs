/**
 * Searches that never stop while documents arrive and change, generations are built, cut over and rolled back, and the process is killed.
 * Linux, Node 24, after `npm run build`; about ten minutes with the defaults of 100,000 searches and 50 kills:
 *
 *   npx node tools/bench/swap-kills.mjs [--queries 100000] [--kills 50] [--documents 300] [--callers 4] [--pause 0] [--services]
 *
 * `--services`: three services with Kafka, an S3 store and test servers for EventStoreDB and Qdrant instead of the embedded platform, with
 * two replicas of the query service; each kill hits one process, in turn. `--pause`: milliseconds between two searches of a caller.
 *
 * Both models are stand-ins that cost almost nothing. A search that finds no process is sent again until it is answered; every other
 * refusal is a failure. An answer is wrong if it misses the document whose words were searched, has chunks of two generations, or comes
 * from a generation that was no longer (or not yet) active when the search was sent. Ends with exit code 1 if any search failed or was wrong.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openClient } from './lib/distributed-setup.mjs';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';
import { median, quantile, seededRandom, timed } from './lib/figures.mjs';
import { killableEmbedded, killableServices } from './lib/killable.mjs';
import { answersFrom, SwapSearches } from './lib/swap-searches.mjs';

const { values: options } = parseArgs({
  options: {
    queries: { type: 'string', default: '100000' },
    kills: { type: 'string', default: '50' },
    documents: { type: 'string', default: '300' },
    callers: { type: 'string', default: '4' },
    pause: { type: 'string', default: '0' },
    services: { type: 'boolean', default: false },
  },
});
const [queries, kills, documents, callers, pauseMs] = ['queries', 'kills', 'documents', 'callers', 'pause'].map((name) =>
  Number(options[name]),
);
const SWAP = '/v1/scopes/deployment/swap';
const POLL_MS = 50;
/** Searches per phase of the comparison without kills. */
const COMPARED = 2_000;
const random = seededRandom(7);

/** Most words are those of one document, so that words and any model find it. */
const textOf = (n) => `harbour${n} received ships${n} with rope${n}, salt${n}, timber${n} and wine${n} from captain${n}.`;

const root = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
const standIn = await openEmbeddingStandIn();
const platform = await (options.services ? killableServices : killableEmbedded)(root, standIn.settings);
/** `everywhere`: from the response to a cut-over or roll back until each replica has answered from the new generation. */
const figures = { kills: 0, cutOver: [], rollBack: [], everywhere: [], swaps: 0, restartMs: [] };
let extra = 0;

const ask = (method, path, body) => platform.ask(method, path, body);
const until = async (isReached) => {
  for (let view = await ask('GET', SWAP); !isReached(view); view = await ask('GET', SWAP)) {
    if (view.state === 'paused') throw new Error(`the swap is paused: ${view.swap?.paused?.reason}`);
    await sleep(POLL_MS);
  }
};
const activeOf = ({ generations }) => generations.find(({ status }) => status === 'active').generation;

const kill = async () => {
  const { ms } = await timed(() => platform.kill());
  figures.kills++;
  figures.restartMs.push(ms);
};

/** Some new documents, some changed ones, some deleted ones; none of those that are searched. */
const write = async () => {
  const at = extra;
  extra += 20;
  await platform.submit(Array.from({ length: 20 }, (_, i) => ({ name: `extra${at + i}.md`, text: `Goats${at + i} climb mountain${i}.` })));
  await platform.submit(Array.from({ length: 5 }, (_, i) => ({ name: `extra${at + i}.md`, text: `Sheep${at + i} climb hill${i}.` })));
  const { documents: listed } = await ask('GET', '/v1/documents?limit=100');
  for (const { documentId } of listed.filter(({ sourceId }) => sourceId.startsWith('extra')).slice(0, 5))
    await ask('DELETE', `/v1/documents/${documentId}`);
};

/**
 * Searches sent before the response may come from either generation, later ones only from the new one: at once on the embedded platform,
 * and on services once every replica has followed.
 */
const exchanged = async (searches, action) => {
  searches.expect(undefined);
  const { result, ms } = await timed(() => ask('POST', `${SWAP}/${action}`, {}));
  const generation = activeOf(result);
  if (!options.services) searches.expect(generation);
  const followed = await timed(() =>
    Promise.all(platform.replicas().map((url) => answersFrom(url, { query: textOf(0), key: platform.apiKey, generation }))),
  );
  figures.everywhere.push(followed.ms);
  searches.expect(generation);
  return ms;
};

const models = [standIn.settings.PALIMPSEST_OPENAI_MODEL, 'bench-stand-in-b'].map(
  (model) => `openai:${model}/${standIn.settings.PALIMPSEST_OPENAI_DIMENSIONS}`,
);

const swapOnce = async (searches, number, withKills) => {
  const maybeKill = async () => {
    if (withKills && figures.kills < kills) await kill();
  };
  await ask('POST', SWAP, { embeddingVersion: models[(number + 1) % 2], cutover: 'manual' });
  const written = write();
  await sleep(random() * 400);
  await written;
  await maybeKill();
  await sleep(random() * 400);
  await maybeKill();
  await until(({ state }) => state === 'ready');
  figures.cutOver.push(await exchanged(searches, 'cutover'));
  await sleep(200);
  await maybeKill();
  await write();
  figures.rollBack.push(await exchanged(searches, 'rollback'));
  await maybeKill();
  figures.cutOver.push(await exchanged(searches, 'cutover'));
  await maybeKill();
  await ask('POST', `${SWAP}/retire`, {});
  figures.swaps++;
};

/** p99 of searches alone, and while generations are built again and again without kills or other exchanges. */
const compared = async (searches) => {
  const idle = await searches.measure(COMPARED);
  let isOver = false;
  const building = (async () => {
    while (!isOver) {
      await ask('POST', SWAP, { embeddingVersion: models[1], cutover: 'manual' });
      await until(({ state }) => state === 'ready');
      await ask('POST', `${SWAP}/cancel`, {});
    }
  })();
  const whileBuilding = await searches.measure(COMPARED);
  isOver = true;
  await building;
  return { idle, whileBuilding };
};

try {
  await platform.submit(Array.from({ length: documents }, (_, n) => ({ name: `${n}.md`, text: textOf(n) })));
  await platform.settled(documents);
  await ask('POST', '/v1/models', {
    openai: { baseUrl: standIn.settings.PALIMPSEST_OPENAI_BASE_URL, model: 'bench-stand-in-b', dimensions: 384 },
  });
  const searches = new SwapSearches({ url: platform.url, apiKey: platform.apiKey, callers, documents, textOf, pauseMs });
  searches.expect(activeOf(await ask('GET', SWAP)));
  searches.start();
  console.log(`${documents} documents, ${callers} callers, load average ${loadavg()[0].toFixed(1)}`);
  const { idle, whileBuilding } = await compared(searches);
  const p99 = [idle, whileBuilding].map((ms) => quantile(ms, 0.99));
  console.log(`searches alone: p50 ${median(idle).toFixed(1)} ms, p99 ${p99[0].toFixed(1)} ms`);
  console.log(
    `while generations are built: p50 ${median(whileBuilding).toFixed(1)} ms, p99 ${p99[1].toFixed(1)} ms: ratio ${(p99[1] / p99[0]).toFixed(2)}`,
  );
  for (let number = 0; searches.answered < queries || figures.kills < kills; number++) {
    await swapOnce(searches, number, true);
    if (number % 5 === 4) console.log(`${searches.answered} searches, ${figures.swaps} swaps, ${figures.kills} kills`);
  }
  await searches.stop();
  const verified = await Promise.all(
    platform.replicas().map(async (url) => await openClient(url, platform.apiKey).ask('POST', '/v1/admin/verify')),
  );
  const isClean = verified.every(({ clean }) => clean);
  const shown = (ms) => (ms.length === 0 ? 'none' : `p50 ${median(ms).toFixed(0)} ms, max ${Math.max(...ms).toFixed(0)} ms (${ms.length})`);
  console.log(
    `${searches.answered} searches answered (${searches.repeated} sent again because no process answered), ` +
      `${searches.failures.length} failed, ${searches.wrong.length} wrong, in ${figures.swaps} swaps with ${figures.kills} kills`,
  );
  console.log(
    `cut over: ${shown(figures.cutOver)}; rolled back: ${shown(figures.rollBack)}; after the response, every replica: ${shown(figures.everywhere)}; ready after a kill: ${shown(figures.restartMs)}`,
  );
  console.log(`read models ${isClean ? 'are' : 'are NOT'} as on the log`);
  for (const fault of [...searches.failures, ...searches.wrong].slice(0, 10)) console.log(fault);
  if (searches.failures.length + searches.wrong.length > 0 || !isClean) process.exitCode = 1;
} finally {
  await platform.close();
  await standIn.close();
  await rm(root, { recursive: true, force: true, maxRetries: 10 });
}
