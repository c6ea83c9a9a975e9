/**
 * How often the comparison of a canary returns its callers after a planted regression, within how many of their queries, and how often it
 * does so without one.
 *
 *   npm run build && node tools/eval/canary-power.mjs [--seeds 200] [--share 10] [--queries 200] [--only slow]
 *
 * Paragraphs of this documentation are embedded with the model in the repository and indexed with BM25; ranks and standard scores are those
 * of real searches, with exact vectors. Callers differ: in how much and what they ask, how fast they are served, and how often they find
 * nothing. Which callers belong to the canary, and the comparison, are code of the platform (libs/query, libs/generations).
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openBm25Index } from '@palimpsest/adapters-bm25';
import { openOnnxEmbeddings } from '@palimpsest/adapters-onnx';
import { SeededRandom } from '@palimpsest/foundation';
import { authorise } from '@palimpsest/knowledge/access';
import { DEFAULT_CANARY_THRESHOLDS } from '@palimpsest/knowledge/canary';
import { chunkId, DEFAULT_TENANT, DEPLOYMENT, generationId, position } from '@palimpsest/knowledge/values';

import { aFakeEmbeddingProvider } from '../../libs/test-kit/dist/fake-embeddings.js';
import { CanaryComparison } from '../../libs/generations/dist/canary/canary-comparison.js';
import { shuffled } from '../../libs/generations/dist/evaluation/shuffled.js';
import { placeOf } from '../../libs/query/dist/canary/canary-routing.js';
import { InMemoryScopeKeys } from '../../libs/test-kit/src/in-memory/in-memory-scope-keys.ts';

const keys = new InMemoryScopeKeys();

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    share: { type: 'string', default: '10' },
    queries: { type: 'string', default: '200' },
    chunks: { type: 'string', default: '600' },
    only: { type: 'string' },
  },
});
const [SEEDS, SHARE, QUERIES, CHUNKS] = [options.seeds, options.share, options.queries, options.chunks].map(Number);
const CALLERS = 300;
const DEPTH = 10;

const dot = (a, b) => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};
const normal = (random) => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

/** Paragraphs of the documentation with at least twelve words: one chunk each. */
const paragraphs = async () => {
  const root = new URL('../../docs/', import.meta.url);
  const texts = new Set();
  for (const name of (await readdir(root, { recursive: true })).filter((each) => each.endsWith('.md')).sort())
    for (const part of (await readFile(new URL(name, root), 'utf8')).split(/\n\s*\n/))
      if ((part.match(/\S+/g)?.length ?? 0) >= 12) texts.add(part.trim().slice(0, 800));
  return shuffled([...texts], new SeededRandom(1)).slice(0, CHUNKS);
};
/** Half of the queries are ten words in a row, half are four words from anywhere in the paragraph, in another order. */
const queriesOf = (texts) => {
  const random = new SeededRandom(2);
  return texts.map((text, n) => {
    const words = text.match(/[\p{L}\p{N}-]{3,}/gu) ?? [text];
    const from = Math.floor(random.next() * Math.max(1, words.length - 10));
    return n % 2 === 0 ? words.slice(from, from + 10).join(' ') : shuffled(words, random).slice(0, 4).join(' ');
  });
};
const embedded = async (model, texts, kind) => {
  const vectors = [];
  for (let from = 0; from < texts.length; from += 32)
    vectors.push(...(await model.embed(texts.slice(from, from + 32), kind)).map(({ vector }) => vector));
  return vectors;
};
const idOf = (n) => chunkId(n.toString(16).padStart(32, '0'));

const bestByWords = async (texts, queries) => {
  const root = await mkdtemp(join(tmpdir(), 'canary-power-'));
  const index = await openBm25Index({ root, keys });
  try {
    const [scope] = authorise({ tenant: DEFAULT_TENANT, teams: [], roles: ['reader'], actor: 'tool' }, [DEPLOYMENT]);
    const partition = { scope, generation: generationId('g1') };
    const puts = texts.map((text, n) => ({ write: 'put', chunkId: idOf(n), text, language: 'en', attributes: {} }));
    await index.apply(partition, puts, position(1n));
    const found = [];
    for (const query of queries) found.push(new Set((await index.search(partition, query, { k: DEPTH })).map((hit) => hit.chunkId)));
    return found;
  } finally {
    await index.close();
    await rm(root, { recursive: true, force: true });
  }
};

/** What a search says about its vectors: see libs/query/src/pipeline/retrieval-signs.ts. */
const signsOf = (stored, asked, words) =>
  asked.map((query, i) => {
    const scores = stored.map((vector) => dot(query, vector));
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    const deviation = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length);
    const best = scores
      .map((_, n) => n)
      .sort((a, b) => scores[b] - scores[a] || a - b)
      .slice(0, DEPTH);
    const both = best.filter((n) => words[i].has(idOf(n))).length;
    return {
      topStandard: (scores[best[0]] - mean) / deviation,
      ...(words[i].size === 0 ? {} : { agreement: both / Math.min(best.length, words[i].size) }),
    };
  });

const texts = await paragraphs();
const queries = queriesOf(texts);
const model = await openOnnxEmbeddings({ threads: 2 });
const right = await embedded(model, texts, 'passage');
const asked = await embedded(model, queries, 'query');
await model.close();
const words = await bestByWords(texts, queries);
const bag = aFakeEmbeddingProvider({ version: 'fake:words/64' });
const [bagStored, bagAsked] = [await embedded(bag, texts, 'passage'), await embedded(bag, queries, 'query')];
const active = signsOf(right, asked, words);
const someShuffled = (share) => {
  const affected = shuffled(
    texts.map((_, n) => n),
    new SeededRandom(3),
  ).slice(0, Math.round(share * texts.length));
  const vectors = [...right];
  affected.forEach((n, i) => (vectors[n] = right[affected[(i + 1) % affected.length]]));
  return vectors;
};
const noisy = () => {
  const random = new SeededRandom(4);
  return right.map((vector) => vector.map((value) => value + (random.next() - 0.5) * 2e-4));
};

const same = { signs: active };
const CASES = {
  'none: the same generation': same,
  'none: another build (noise of 1e-4 in each number)': { signs: signsOf(noisy(), asked, words) },
  'none: a quarter slower (accepted)': { ...same, slower: 1.25 },
  'a third of the answers empty': { ...same, empty: 1 / 3 },
  'a model that always fails': { ...same, fails: true },
  'three times as slow': { ...same, slower: 3 },
  'all vectors shuffled': { signs: signsOf(someShuffled(1), asked, words) },
  'four fifths of the vectors shuffled': { signs: signsOf(someShuffled(0.8), asked, words) },
  'for information: half of the vectors shuffled': { signs: signsOf(someShuffled(0.5), asked, words) },
  'for information: twice as slow': { ...same, slower: 2 },
  'for information: a bag of words with 64 dimensions': { signs: signsOf(bagStored, bagAsked, words) },
};

/** The number of canary queries at which the callers were returned, or undefined; and how many callers the canary had. */
const run = ({ signs, slower = 1, empty = 0, fails = false }, seed) => {
  const random = new SeededRandom(seed);
  const [g1, g2] = [generationId('g1'), generationId(`g${seed + 1}`)];
  const scope = { tenant: DEFAULT_TENANT, scope: DEPLOYMENT };
  const comparison = new CanaryComparison({ scope: DEPLOYMENT, generation: g2, against: g1, thresholds: DEFAULT_CANARY_THRESHOLDS });
  const callers = Array.from({ length: CALLERS }, (_, n) => ({
    inCanary: placeOf(scope, g2, `user:${n}`) < SHARE,
    weight: 1 / (n + 1) ** 0.7,
    speed: Math.exp(0.3 * normal(random)),
    lost: random.next() < 0.1 ? 0.2 : 0.01,
    topic: Math.floor(random.next() * queries.length),
  }));
  const total = callers.reduce((sum, { weight }) => sum + weight, 0);
  const draw = () => {
    let left = random.next() * total;
    return callers.find(({ weight }) => (left -= weight) <= 0) ?? callers[0];
  };
  let position = 0n;
  for (let tried = 0; tried < QUERIES;) {
    const { inCanary, speed, lost, topic } = draw();
    // A caller asks about a tenth of all topics.
    const query = (topic + Math.floor((random.next() * queries.length) / 10)) % queries.length;
    const isEmpty = random.next() < lost || (inCanary && random.next() < empty);
    const data = {
      strategy: 'DenseSparseHybrid',
      generations: [
        {
          scope: DEPLOYMENT,
          ...(inCanary && !fails ? { generation: g2, canary: true, ...signs[query] } : { generation: g1, ...active[query] }),
          ...(inCanary && fails ? { failedCanary: g2 } : {}),
        },
      ],
      hits: isEmpty ? [] : [{}],
      latencyMs: 15 * speed * Math.exp(0.6 * normal(random)) * (inCanary ? slower : 1),
    };
    if (inCanary) tried++;
    if (comparison.add(data, ++position)) return { after: tried, measures: comparison.evidence().findings.map(({ measure }) => measure) };
  }
  return { after: undefined, measures: [] };
};

const rows = {};
let missed = 0;
for (const [name, plant] of Object.entries(CASES).filter(([each]) => options.only === undefined || each.includes(options.only))) {
  const results = Array.from({ length: SEEDS }, (_, seed) => run(plant, seed + 1));
  const found = results.flatMap(({ after }) => after ?? []).sort((a, b) => a - b);
  const percent = Math.round((1000 * found.length) / SEEDS) / 10;
  rows[name] = {
    'returned %': percent,
    'median queries': found[Math.floor((found.length - 1) / 2)] ?? '',
    'most queries': found.at(-1) ?? '',
    measures: [...new Set(results.flatMap(({ measures }) => measures))].join(', '),
  };
  if (name.startsWith('for information')) continue;
  if (name.startsWith('none') ? percent > 5 : percent < 95) missed++;
}
console.log(
  `${texts.length} chunks, ${SEEDS} seeds, ${CALLERS} callers of which ${SHARE} % are in the canary, ${QUERIES} queries of the canary`,
);
console.table(rows);
process.exitCode = missed > 0 ? 1 : 0;
