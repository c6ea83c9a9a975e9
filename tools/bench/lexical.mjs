/**
 * How fast is the BM25 index, and how much faster is pruning than scoring everything? About a minute.
 *
 *   node --conditions=@palimpsest/source tools/bench/lexical.mjs [chunks]...     (default 20000 100000; Node 24)
 *
 * Synthetic chunks (seeded): about 100 words each, drawn by Zipf's law from a vocabulary that grows with the collection. In one
 * run, alternating for each query:
 *   index        `search` of the index, k 10, as the platform calls it
 *   exhaustive   plain JavaScript over the same postings with the same precomputed whole-number impacts: sums every
 *                posting of the query, then scans all sums
 * Both must return the same chunks with the same scores, or the run fails. Then a quarter more chunks are added in small batches, with a
 * search after each: how much merging and compacting slow down searches, and how long they block the event loop. Compare ratios;
 * milliseconds depend on the machine.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { join } from 'node:path';
import { authorise } from '@palimpsest/knowledge/access';
import { DEFAULT_TENANT, DEPLOYMENT, chunkId, generationId, position } from '@palimpsest/knowledge/values';
import { openBm25Index } from '@palimpsest/adapters-bm25';
import { impactOf, lengthNorm, roundedAverage, toScore, weightOf } from '../../libs/adapters/bm25/src/scoring/bm25.ts';
import { InMemoryScopeKeys } from '../../libs/test-kit/src/in-memory/in-memory-scope-keys.ts';

const keys = new InMemoryScopeKeys();

const K = 10;
const BATCH = 1000;
const SMALL_BATCH = 50;
const QUERIES = 60;
const ROUNDS = 3;
const PARAMETERS = { k1: 1.2, b: 0.75 };

const diceOf = (seed) => {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
};
const wordOf = (rank) => `w${rank.toString(36)}`;
/** Rank by Zipf's law: the r-th word is as likely as 1/r. */
const zipf = (dice, vocabulary) => Math.min(vocabulary - 1, Math.floor(vocabulary ** dice()) - 1);
const idOf = (number) =>
  chunkId((Math.imul(number + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0') + number.toString(16).padStart(24, '0'));

const chunksOf = (count) => {
  const dice = diceOf(7);
  const vocabulary = Math.round(40 * Math.sqrt(count * 100));
  const words = Array.from({ length: vocabulary }, (_, rank) => wordOf(rank));
  const texts = Array.from({ length: count }, () =>
    Array.from({ length: 50 + Math.floor(dice() * 100) }, () => words[zipf(dice, vocabulary)]),
  );
  return { vocabulary, texts };
};

const queriesOf = (vocabulary) => {
  const dice = diceOf(11);
  const rare = () => wordOf(Math.floor(100 + dice() * Math.min(20_000, vocabulary - 100)));
  const frequent = () => wordOf(5 + Math.floor(dice() * 200));
  return {
    'short (3 rarer words)': Array.from({ length: QUERIES }, () => [rare(), rare(), rare()]),
    'long (8 words, 5 frequent)': Array.from({ length: QUERIES }, () => [
      frequent(),
      rare(),
      frequent(),
      frequent(),
      rare(),
      frequent(),
      rare(),
      frequent(),
    ]),
  };
};

/** Scores every chunk that holds a word, with plain typed arrays. */
const exhaustive = (texts, ids) => {
  const postings = new Map();
  for (const [chunk, words] of texts.entries())
    for (const word of words) {
      const list = postings.get(word);
      if (list === undefined) postings.set(word, [chunk, 1]);
      else if (list[list.length - 2] === chunk) list[list.length - 1]++;
      else list.push(chunk, 1);
    }
  const average = roundedAverage(
    texts.reduce((sum, words) => sum + words.length, 0),
    texts.length,
  );
  const norms = texts.map((words) => lengthNorm({ ...PARAMETERS, average }, words.length));
  for (const [word, list] of postings) {
    const chunks = Uint32Array.from({ length: list.length / 2 }, (_, i) => list[2 * i]);
    const impacts = Uint8Array.from(chunks, (chunk, i) => impactOf(list[2 * i + 1], norms[chunk]));
    postings.set(word, { chunks, impacts, weight: weightOf(texts.length, chunks.length) });
  }
  const sums = new Int32Array(texts.length);
  return (query) => {
    for (const word of query) {
      const { chunks, impacts, weight } = postings.get(word) ?? { chunks: [], impacts: [], weight: 0 };
      for (let i = 0; i < chunks.length; i++) sums[chunks[i]] += weight * impacts[i];
    }
    let best = [];
    let worst = 1;
    for (let chunk = 0; chunk < sums.length; chunk++) {
      if (sums[chunk] < worst) continue;
      best.push({ chunkId: ids[chunk], score: sums[chunk] });
      if (best.length < 4 * K) continue;
      best = best.sort(byRank).slice(0, K);
      worst = best[K - 1].score;
    }
    sums.fill(0);
    return best
      .sort(byRank)
      .slice(0, K)
      .map(({ chunkId: id, score }) => ({ chunkId: id, score: toScore(score) }));
  };
};
const byRank = (a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1);

const quantile = (times, share) => [...times].sort((a, b) => a - b)[Math.floor(times.length * share)];
/** CPU time of this process in ms: the cost of one-off work on a machine with other load. */
const cpuSince = (since) => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

const FILTER = { filter: { eq: { field: 'tenth', value: 3 } } };

/** Runs each query in all ways, after a warm-up round; throws if the results differ. */
const timeAll = async (queries, search, scoreAll, spread) => {
  const times = { index: [], filtered: [], exhaustive: [], spread: [] };
  for (let round = -1; round < ROUNDS; round++)
    for (const query of queries) {
      const a = performance.now();
      const hits = await search(query);
      const b = performance.now();
      const expected = scoreAll(query);
      const c = performance.now();
      await search(query, FILTER);
      const d = performance.now();
      await spread(query);
      const e = performance.now();
      if (JSON.stringify(hits.map(({ chunkId: id, score }) => ({ chunkId: id, score }))) !== JSON.stringify(expected))
        throw new Error(`the index and the exhaustive scan disagree for "${query.join(' ')}"`);
      if (round < 0) continue;
      times.index.push(b - a);
      times.exhaustive.push(c - b);
      times.filtered.push(d - c);
      times.spread.push(e - d);
    }
  return times;
};

/** A search during each batch, and one after it. */
const searchesDuringWrites = async (apply, search, count) => {
  const took = { during: [], after: [] };
  const measured = async (kind) => {
    const began = performance.now();
    await search(['wa', 'wb', 'w1c']);
    took[kind].push(performance.now() - began);
  };
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (let from = 0; from < count; from += SMALL_BATCH) {
    const written = apply(from, SMALL_BATCH);
    await new Promise(setImmediate);
    await measured('during');
    await written;
    await measured('after');
  }
  delay.disable();
  const of = (times) =>
    `p50 ${quantile(times, 0.5).toFixed(2)}, p99 ${quantile(times, 0.99).toFixed(1)}, longest ${Math.max(...times).toFixed(0)} ms`;
  console.log(
    `searches during ${took.after.length} writes of ${SMALL_BATCH} chunks: ${of(took.during)}; directly after one: ${of(took.after)}; event loop blocked for at most ${(delay.max / 1e6).toFixed(0)} ms`,
  );
};

const bench = async (count) => {
  const { vocabulary, texts: all } = chunksOf(Math.ceil((count * 5) / 4));
  const texts = all.slice(0, count);
  const ids = all.map((_, number) => idOf(number));
  const root = await mkdtemp(join(tmpdir(), 'bench-lexical-'));
  const scope = { tenant: DEFAULT_TENANT, scope: DEPLOYMENT };
  const generation = generationId('g1');
  const [permitted] = authorise({ tenant: DEFAULT_TENANT, teams: [], roles: ['reader'], actor: 'bench' }, [DEPLOYMENT]);
  const reader = { scope: permitted, generation };
  let index = await openBm25Index({ root, keys });
  try {
    const started = process.cpuUsage();
    const apply = (from, size) => {
      const puts = all.slice(from, from + size).map((words, i) => ({
        write: 'put',
        chunkId: ids[from + i],
        text: words.join(' '),
        language: 'und',
        attributes: { tenth: (from + i) % 10 },
      }));
      return index.apply({ scope, generation }, puts, position(BigInt(from + size)));
    };
    for (let from = 0; from < count; from += BATCH) await apply(from, BATCH);
    await index.flush();
    console.log(
      `\n${count} chunks, ${vocabulary} words: ${Math.round((count / cpuSince(started)) * 1000)} chunks per CPU second indexed, from text to flush`,
    );
    await index.close();
    const reopened = process.cpuUsage();
    index = await openBm25Index({ root, keys });
    console.log(`reopened in ${cpuSince(reopened).toFixed(0)} ms of CPU`);
    const first = process.cpuUsage();
    await index.search(reader, 'wa wb', { k: K });
    console.log(`first search (impacts, kernel memory) ${cpuSince(first).toFixed(0)} ms of CPU`);
    const { memory, disk } = await index.bytes({ scope, generation });
    const postings = texts.reduce((sum, words) => sum + new Set(words).size, 0);
    console.log(
      `${postings} postings: ${(memory / postings).toFixed(2)} bytes of memory and ${(disk / postings).toFixed(2)} on disk for each`,
    );
    const scoreAll = exhaustive(texts, ids);
    const search = (query, filter) => index.search(reader, query.join(' '), { k: K, ...filter });
    for (const [kind, queries] of Object.entries(queriesOf(vocabulary))) {
      const times = await timeAll(queries, search, scoreAll, (query) => index.spread(reader, query.join(' ')));
      const p50 = Object.fromEntries(Object.entries(times).map(([way, measured]) => [way, quantile(measured, 0.5)]));
      console.log(
        `${kind.padEnd(28)} index p50 ${p50.index.toFixed(3)} p95 ${quantile(times.index, 0.95).toFixed(3)} ms, exhaustive p50 ${p50.exhaustive.toFixed(3)} ms: ` +
          `${(p50.exhaustive / p50.index).toFixed(1)} times; with a filter of 10 % p50 ${p50.filtered.toFixed(3)} ms; spread p50 ${p50.spread.toFixed(3)} ms`,
      );
    }
    await searchesDuringWrites((from, size) => apply(count + from, size), search, all.length - count);
  } finally {
    await index.close();
    await rm(root, { recursive: true });
  }
};

const sizes = process.argv.slice(2).map(Number);
for (const count of sizes.length > 0 ? sizes : [20_000, 100_000]) await bench(count);
