/**
 * Compares two versions of the platform: another checkout and this one, both built. Each round gives both the same work, in turn, and the
 * order changes from round to round. Searches and rebuilds alternate between two running processes, so that other load meets both.
 * Linux, Node 24:
 *
 *   npx node tools/bench/versions.mjs --before <built checkout> [--rounds 6] [--documents 200] [--searches 1500]
 *
 * The model is a stand-in whose vectors cost almost nothing. Prints, for each kind of work, the CPU time of this version divided by that of the
 * other one in the same round (whole process tree), the wall times likewise, and resident memory before and after the rebuilds.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { syntheticDocuments } from './lib/corpus.mjs';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';
import { quantile, seededRandom } from './lib/figures.mjs';
import { PlatformProcess } from './lib/platform-process.mjs';

const { values: options } = parseArgs({
  options: {
    before: { type: 'string' },
    rounds: { type: 'string', default: '6' },
    documents: { type: 'string', default: '200' },
    searches: { type: 'string', default: '1500' },
  },
});
if (options.before === undefined) {
  console.error('versions: --before is missing: the folder of the other built checkout');
  process.exit(1);
}
const [rounds, documents, searches] = ['rounds', 'documents', 'searches'].map((name) => Number(options[name]));
const VERSIONS = { before: resolve(options.before, 'apps/platform/dist/main.js'), after: resolve('apps/platform/dist/main.js') };
const SECTIONS = 8;
/** So that the just-in-time compiler has done most of its work before the measurement. */
const WARM_SEARCHES = 500;
/** Searches of one version before it is the turn of the other. */
const TURN = 100;
/** A rebuild rests within a second of the last search. */
const RESTING_MS = 1_200;
/** The first rebuild of a process runs code that no other work has warmed. */
const REPEATED_REBUILDS = 6;
/** Resident bytes. */
const MEMORY = 'memory';

/** Words of the corpus in a seeded order: the same queries for both versions. */
const queriesOf = (corpus, count, seed) => {
  const random = seededRandom(seed);
  const words = corpus.flatMap(({ text }) => text.match(/[a-z]{4,}/g) ?? []);
  return Array.from({ length: count }, () => Array.from({ length: 4 }, () => words[Math.floor(random() * words.length)]).join(' '));
};

const measured = async (platform, work) => {
  const [cpu, began] = [platform.cpuMs(), performance.now()];
  await work();
  return { cpu: platform.cpuMs() - cpu, ms: performance.now() - began };
};

const search = async (platform, queries) => {
  for (const query of queries) await platform.ask('POST', '/v1/search', { query, topK: 10 });
};

/** A process with the corpus, and what its start and the ingestion took. */
const filled = async (main, corpus, settings) => {
  const data = await mkdtemp(join(tmpdir(), 'palimpsest-versions-'));
  const platform = await PlatformProcess.start(data, settings, { main });
  const start = { cpu: platform.cpuMs(), ms: platform.readyAfterMs };
  const ingestion = await measured(platform, async () => {
    await platform.submit(corpus);
    await platform.settled(corpus.length);
  });
  // Code that is loaded when it is first used counts for the work that uses it.
  const both = { cpu: start.cpu + ingestion.cpu, ms: start.ms + ingestion.ms };
  return { platform, data, results: { start, ingestion, 'start and ingestion': both } };
};

const added = (a, b) => ({ cpu: (a?.cpu ?? 0) + b.cpu, ms: (a?.ms ?? 0) + b.ms });

const run = async (order, corpus, settings, seed) => {
  const sides = [];
  try {
    for (const version of order) sides.push({ version, ...(await filled(VERSIONS[version], corpus, settings)) });
    const inTurn = async (name, times, work) => {
      for (let i = 0; i < times; i++)
        for (const { platform, results } of i % 2 === 0 ? sides : sides.toReversed())
          results[name] = added(results[name], await measured(platform, () => work(platform, i)));
    };
    for (const { platform } of sides) await search(platform, queriesOf(corpus, WARM_SEARCHES, seed + 1));
    const queries = queriesOf(corpus, searches, seed);
    await inTurn(`${searches} searches`, Math.ceil(searches / TURN), (platform, i) =>
      search(platform, queries.slice(i * TURN, (i + 1) * TURN)),
    );
    const memory = (name) => {
      for (const { platform, results } of sides) results[name] = { cpu: platform.resident().own, ms: 0 };
    };
    await sleep(RESTING_MS);
    memory(MEMORY);
    const rebuild = (platform) => platform.ask('POST', '/v1/admin/rebuild');
    await inTurn('first rebuild', 1, rebuild);
    await inTurn(`${REPEATED_REBUILDS} more rebuilds`, REPEATED_REBUILDS, rebuild);
    memory(`${MEMORY} after rebuilds`);
    return Object.fromEntries(sides.map(({ version, results }) => [version, results]));
  } finally {
    for (const { platform, data } of sides) {
      await platform.stop();
      await rm(data, { recursive: true, force: true });
    }
  }
};

const standIn = await openEmbeddingStandIn();
const corpus = syntheticDocuments(documents, { sections: SECTIONS, seed: 5 });
const ratios = {};
for (let round = 0; round < rounds; round++) {
  const order = round % 2 === 0 ? ['before', 'after'] : ['after', 'before'];
  const results = await run(order, corpus, standIn.settings, round);
  for (const [work, { cpu, ms }] of Object.entries(results.after))
    (ratios[work] ??= []).push({ cpu: cpu / results.before[work].cpu, ms: ms / results.before[work].ms, after: { cpu, ms } });
  console.log(
    `round ${round + 1}, load ${loadavg()[0].toFixed(1)}: ${Object.entries(ratios)
      .map(([work, each]) => `${work} ${each.at(-1).cpu.toFixed(3)}`)
      .join(', ')}`,
  );
}
await standIn.close();

const spread = (values) => [0.25, 0.5, 0.75].map((q) => quantile(values, q).toFixed(3)).join(', ');
console.log('\nthis version / the other one: quartiles of the ratio');
for (const [work, each] of Object.entries(ratios)) {
  if (work.startsWith(MEMORY)) console.log(`  ${work}: ${spread(each.map(({ cpu }) => cpu))}`);
  else console.log(`  ${work}: CPU ${spread(each.map(({ cpu }) => cpu))}; wall ${spread(each.map(({ ms }) => ms))}`);
}
