/**
 * How often the gate of a swap finds faults that are planted in the vectors of a new generation, and how often it raises a false alarm.
 *
 *   npm run build && node tools/eval/gate-faults.mjs [--seeds 200] [--chunks 600] [--only "5 % shuffled"]
 *
 * The texts are paragraphs of this documentation, embedded once with the model in the repository; both generations use that model, so the only
 * difference between them is the fault. Each seed draws the chunks of the spot check, those of the self-queries, and the chunks that the
 * fault affects. The spot check, the self-queries and the decision are those of the platform (libs/generations); the search is exact.
 */
import { readdir, readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openOnnxEmbeddings } from '@palimpsest/adapters-onnx';
import { measureNamed } from '@palimpsest/evaluation';
import { SeededRandom } from '@palimpsest/foundation';
import { decide, measureOf } from '../../libs/generations/dist/evaluation/decide.js';
import { selfQueries } from '../../libs/generations/dist/evaluation/self-queries.js';
import { shuffled } from '../../libs/generations/dist/evaluation/shuffled.js';
import { spotCheck } from '../../libs/generations/dist/evaluation/spot-check.js';

const { values: options } = parseArgs({
  options: { seeds: { type: 'string', default: '200' }, chunks: { type: 'string', default: '600' }, only: { type: 'string' } },
});
const [SEEDS, CHUNKS, QUERIES, SPOT_CHECKS] = [Number(options.seeds), Number(options.chunks), 400, 200];
const PREFIX = 'passage: ';
const ndcg = measureNamed('nDCG@10');

const dot = (a, b) => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};
const unit = (vector) => {
  const length = Math.sqrt(dot(vector, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
};

/** Paragraphs of the documentation with at least twelve words: one chunk and one document each. */
const paragraphs = async () => {
  const root = new URL('../../docs/', import.meta.url);
  const texts = new Set();
  for (const name of (await readdir(root, { recursive: true })).filter((each) => each.endsWith('.md')).sort())
    for (const part of (await readFile(new URL(name, root), 'utf8')).split(/\n\s*\n/))
      if ((part.match(/\S+/g)?.length ?? 0) >= 12) texts.add(part.trim().slice(0, 800));
  return shuffled([...texts], new SeededRandom(1)).slice(0, CHUNKS);
};

const embedded = async (model, texts, kind) => {
  const vectors = [];
  for (let from = 0; from < texts.length; from += 32)
    vectors.push(...(await model.embed(texts.slice(from, from + 32), kind)).map(({ vector }) => vector));
  return vectors;
};

const texts = await paragraphs();
const model = await openOnnxEmbeddings({ threads: 2 });
const placeOf = new Map(texts.map((text, n) => [text, n]));
const idOf = (n) => n.toString(16).padStart(32, '0');
const chunks = texts.map((text, n) => ({ n, chunkId: idOf(n), documentId: idOf(n), text: { text, contextPrefix: '', headings: [] } }));
const queries = selfQueries(chunks);
const right = await embedded(model, texts, 'passage');
const asked = await embedded(
  model,
  queries.map(({ text }) => text),
  'query',
);
const prefixed = await embedded(
  model,
  texts.map((text) => PREFIX + text),
  'passage',
);
const lowerCased = await embedded(
  model,
  texts.map((text) => text.toLowerCase()),
  'passage',
);
/** An earlier version of each text, without its last third. */
const earlier = await embedded(
  model,
  texts.map((text) =>
    text
      .split(' ')
      .slice(0, Math.ceil((text.split(' ').length * 2) / 3))
      .join(' '),
  ),
  'passage',
);
await model.close();

const largest = Math.max(...right.flatMap((vector) => vector.map(Math.abs).reduce((a, b) => Math.max(a, b), 0)));
const int8 = (vector, scale) => unit(vector.map((value) => Math.max(-127, Math.min(127, Math.round(value / scale))) * scale));
const some = (random, share) =>
  shuffled(
    texts.map((_, n) => n),
    random,
  ).slice(0, Math.round(share * texts.length));
/** Gives the vectors of some chunks to other chunks of these. */
const mixedUp = (random, share) => {
  const affected = some(random, share);
  const vectors = [...right];
  affected.forEach((n, i) => (vectors[n] = right[affected[(i + 1) % affected.length]]));
  return vectors;
};

/** What is stored, and what the registered model returns for the same text. */
const FAULTS = {
  'none: the same vectors': () => ({ stored: right }),
  'none: another build (noise of 1e-4 in each number)': (random) => ({
    stored: right.map((vector) => unit(vector.map((value) => value + (random.next() - 0.5) * 2e-4))),
  }),
  'none: int8 of the right scale': () => ({ stored: right.map((vector) => int8(vector, largest / 127)) }),
  'none: lower-cased text (the model ignores case)': () => ({ stored: lowerCased }),
  'missing passage prefix': () => ({ stored: right, model: prefixed }),
  '5 % shuffled': (random) => ({ stored: mixedUp(random, 0.05) }),
  '2 % stale': (random) => {
    const stored = [...right];
    for (const n of some(random, 0.02)) stored[n] = earlier[n];
    return { stored };
  },
  'second half of the dimensions missing': () => ({
    stored: right.map((vector) => unit(vector.map((value, d) => (d < vector.length / 2 ? value : 0)))),
  }),
  'int8 of a scale that is 4 times too small': () => ({ stored: right.map((vector) => int8(vector, largest / 127 / 4)) }),
};

/** Scores of the right vectors: most vectors of a fault are right. */
const scores = asked.map((query) => Float64Array.from(right, (vector) => dot(query, vector)));
/** nDCG@10 of each query. Its only relevant document is known, so its rank is all that counts. Equal scores go to the lower id. */
const valuesOf = (stored) => {
  const changed = stored.flatMap((vector, n) => (vector === right[n] ? [] : [n]));
  return asked.map((query, i) => {
    const own = Number.parseInt(queries[i].documentId, 16);
    const now = Float64Array.from(scores[i]);
    for (const n of changed) now[n] = dot(query, stored[n]);
    let rank = 0;
    for (let n = 0; n < now.length; n++) if (now[n] > now[own] || (now[n] === now[own] && n < own)) rank++;
    const ranking = Array.from({ length: 10 }, (_, at) => (at === rank ? queries[i].documentId : `other${at}`));
    return ndcg.of(ranking, new Map([[queries[i].documentId, 1]]));
  });
};
const before = valuesOf(right);
/** Values of vectors that do not depend on the seed are computed once. */
const known = new Map();
const after = (name, stored, seeded) => {
  const found = seeded ? undefined : known.get(name);
  const values = found ?? valuesOf(stored);
  known.set(name, values);
  return values;
};

const evaluate = async (name, plant, seed) => {
  const random = new SeededRandom(seed);
  const { stored, model: registered = right } = plant(random);
  const drawn = shuffled(chunks, random);
  const vectors = {
    search: async (_, vector, { filter }) => {
      const n = Number.parseInt(filter.eq.value, 16);
      return [{ chunkId: idOf(n), score: dot(stored[n], vector) }];
    },
  };
  const embedder = {
    version: 'onnx:all-minilm-l6-v2-int8/384',
    window: async () => ({ tokenizer: 'none', tokens: 1e6, count: (text) => text.length }),
    embed: async (each) => each.map((text) => ({ vector: registered[placeOf.get(text)], tokens: 1, truncated: false })),
  };
  const checked = await spotCheck(
    { catalog: { visible: async (_, ids) => new Set(ids) }, vectors },
    {},
    'g2',
    embedder,
    drawn.slice(0, SPOT_CHECKS),
    new AbortController().signal,
  );
  const side = after(name, stored, plant.length > 0);
  const sample = new Set(drawn.slice(0, QUERIES).map(({ chunkId }) => chunkId));
  const outcomes = queries.flatMap((query, i) =>
    sample.has(query.chunkId) ? [{ query: { source: 'self' }, before: before[i], after: side[i] }] : [],
  );
  const measure = measureOf('self', outcomes, seed);
  return {
    whole: decide([measure], { unexplained: 0, mismatched: checked.mismatched.length, checked: checked.checked, lowest: checked.lowest })
      .verdict,
    queries: measure.verdict,
    spot: checked.mismatched.length > 0,
    difference: measure.difference,
    lowest: checked.lowest,
  };
};

const percent = (values, wanted) => Math.round((values.filter(wanted).length / values.length) * 1000) / 10;
console.log(
  `${texts.length} chunks, ${SEEDS} seeds, ${QUERIES} self-queries, ${SPOT_CHECKS} spot checks; nDCG@10 of the right vectors ${(before.reduce((a, b) => a + b, 0) / before.length).toFixed(3)}`,
);
const rows = {};
let missed = 0;
for (const [name, plant] of Object.entries(FAULTS).filter(([each]) => options.only === undefined || each === options.only)) {
  const results = [];
  for (let seed = 1; seed <= SEEDS; seed++) results.push(await evaluate(name, plant, seed));
  const worse = percent(results, ({ whole }) => whole === 'worse');
  rows[name] = {
    'worse %': worse,
    'undecided %': percent(results, ({ whole }) => whole === 'undecided'),
    'not worse %': percent(results, ({ whole }) => whole === 'not-worse'),
    'found by spot check %': percent(results, ({ spot }) => spot),
    'found by queries alone %': percent(results, ({ queries: verdict }) => verdict === 'worse'),
    'nDCG@10': (results.reduce((sum, { difference }) => sum + difference, 0) / results.length).toFixed(4),
    'lowest cosine': Math.min(...results.map(({ lowest }) => lowest)).toFixed(4),
  };
  if (name.startsWith('none') ? worse > 5 : worse < 95) missed++;
}
console.table(rows);
process.exitCode = missed > 0 ? 1 : 0;
