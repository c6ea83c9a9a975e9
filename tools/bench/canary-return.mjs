/**
 * How soon does a canary return its callers when its model begins to fail? Callers search with a short pause; half of the
 * conversations are served by the canary, whose endpoint refuses every request from a certain moment on. Linux, Node 24, after
 * `npm run build`, about four minutes:
 *
 *   npx node tools/bench/canary-return.mjs [--rounds 5] [--callers 10] [--pause 50] [--documents 200]
 *
 * `--pause`: milliseconds between the searches of a caller. Every search must be answered with results.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openSlowModel, perText } from './lib/distributed-slow-model.mjs';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';
import { quantile } from './lib/figures.mjs';
import { killableEmbedded } from './lib/killable.mjs';

const number = (value) => ({ type: 'string', default: String(value) });
const { values: options } = parseArgs({
  options: { rounds: number(5), callers: number(10), pause: number(50), documents: number(200) },
});
const [rounds, callers, pauseMs, documents] = [options.rounds, options.callers, options.pause, options.documents].map(Number);
const SWAP = '/v1/scopes/deployment/swap';
const POLL_MS = 10;
/** Both models are alike: a slower one would be a regression, too. */
const MODEL_MS = 5;
/** Each further failure would make the platform leave the endpoint alone for longer. */
const LEFT_ALONE_MS = 30_000;
/** Queries of the canary before its endpoint fails: enough for both sides to be compared. */
const BEFORE = 200;
const textOf = (n) => `harbour${n} received ships${n} with rope${n} and salt${n}.`;

const root = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
const standIn = await openEmbeddingStandIn();
const [active, model] = [
  await openSlowModel(standIn.settings, perText(MODEL_MS)),
  await openSlowModel(standIn.settings, perText(MODEL_MS)),
];
const platform = await killableEmbedded(root, active.settings);

let [asked, failed, over] = [0, 0, false];
/** Another text each time: a cached vector would hide a model that fails. */
const caller = async (name) => {
  while (!over) {
    const n = asked++;
    const query = `${textOf(n % documents)} ask${n}`;
    const answer = await platform.ask('POST', '/v1/search', { query, topK: 5, conversation: `talk-${name}` }).catch(() => ({ hits: [] }));
    if (answer.hits.length === 0) failed++;
    await sleep(pauseMs);
  }
};
const canary = async () => (await platform.ask('GET', SWAP)).canary;
const compared = async () => (await platform.ask('GET', `${SWAP}/canary`)).comparison?.canary.queries ?? 0;
const until = async (isSo) => {
  while (!(await isSo())) await sleep(POLL_MS);
};

/** Starts a canary and waits until its queries are compared. After failures, an endpoint is left alone for a while: then starts it again. */
const started = async () => {
  for (;;) {
    await platform.ask('POST', `${SWAP}/canary`, { share: 50 });
    await until(async () => (await compared()) >= BEFORE || (await canary()).ended !== undefined);
    if ((await canary()).ended === undefined) return compared();
    await sleep(LEFT_ALONE_MS);
  }
};

const returned = async () => {
  const before = await started();
  model.refuse(true);
  const began = performance.now();
  await until(async () => (await canary()).ended !== undefined);
  const ms = performance.now() - began;
  model.refuse(false);
  const { reason, evidence } = (await canary()).ended;
  if (reason !== 'regression') throw new Error(`the canary ended: ${reason}`);
  return { ms, queries: evidence.canary.queries - before };
};

try {
  await platform.submit(Array.from({ length: documents }, (_, n) => ({ name: `${n}.md`, text: textOf(n) })));
  await platform.settled(documents);
  await platform.ask('POST', '/v1/models', {
    openai: { baseUrl: model.settings.PALIMPSEST_OPENAI_BASE_URL, model: 'bench-stand-in-b', dimensions: 384 },
  });
  await platform.ask('POST', SWAP, { embeddingVersion: 'openai:bench-stand-in-b/384', cutover: 'manual' });
  await until(async () => (await platform.ask('GET', SWAP)).state === 'ready');
  const running = Array.from({ length: callers }, (_, name) => caller(name));
  const results = [];
  for (let round = 0; round < rounds; round++) results.push(await returned());
  over = true;
  await Promise.all(running);
  const shown = (values) => [0.5, 1].map((q) => quantile(values, q).toFixed(0)).join(', ');
  console.log(
    `${rounds} rounds, ${callers} callers, ${asked} searches, ${failed} without results; load average ${loadavg()[0].toFixed(1)}`,
  );
  console.log(`until the callers are returned, ms at p50 and at most: ${shown(results.map(({ ms }) => ms))}`);
  console.log(`queries of the canary meanwhile: ${shown(results.map(({ queries }) => queries))}`);
} finally {
  over = true;
  await platform.close();
  await Promise.all([active.close(), model.close()]);
  await standIn.close();
  await rm(root, { recursive: true, force: true, maxRetries: 10 });
}
