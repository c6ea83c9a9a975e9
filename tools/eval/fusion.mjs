/**
 * How well is the default fusion set? From the files of `fusion-scores.mjs`:
 *
 *   node --conditions=@palimpsest/source tools/eval/fusion.mjs sides <scores file>...     each search alone, and both fused
 *   node --conditions=@palimpsest/source tools/eval/fusion.mjs signals <scores file>...   which weight suits the queries of each fifth of a signal
 *   node --conditions=@palimpsest/source tools/eval/fusion.mjs weights <scores file>...   a weight for each query, fitted without the set that it is measured on
 *   node --conditions=@palimpsest/source tools/eval/fusion.mjs foreign <scores file>...   the weight if the model does not know the language, chosen without the reported set
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { measureNamed } from '@palimpsest/evaluation';
import { SeededRandom } from '@palimpsest/foundation';
import { bootstrapIntervals } from '../../libs/evaluation/src/statistics/bootstrap.ts';
import { DENSE_WEIGHT, FOREIGN_DENSE_WEIGHT, fuseRrf, fuseStandardScores } from '../../libs/query/src/ranking/fusion.ts';

const SEED = 1;
const MEASURE = measureNamed('nDCG@10');
const STEPS = 20;
const WEIGHTS = Array.from({ length: STEPS + 1 }, (_, i) => i / STEPS);

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const signed = (value, digits = 4) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;
const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
const head = (cells) => {
  row(cells);
  row(cells.map(() => '---'));
};

const load = async (files) => (await Promise.all(files.map(async (file) => JSON.parse(await readFile(file, 'utf8'))))).flat().map(measured);

/** Adds what each search finds alone, what each weight makes of both, and the signals of each query. */
const measured = (set) => ({
  ...set,
  name: `${set.set}, ${set.model.replace(/^onnx:|-int8.*$/g, '')}`,
  queries: set.queries.map((query) => {
    const judgements = new Map(Object.entries(query.relevant));
    const value = (hits) =>
      MEASURE.of(
        hits.map(({ chunkId }) => chunkId),
        judgements,
      );
    return {
      dense: value(query.dense.hits),
      sparse: value(query.lexical.hits),
      rrf: value(fuseRrf(query)),
      at: WEIGHTS.map((weight) => value(fuseStandardScores(query, () => weight))),
      weight: set.foreign ? FOREIGN_DENSE_WEIGHT : 1 - (1 - DENSE_WEIGHT) * query.lexical.spread.known,
      signals: signalsOf(query),
    };
  }),
});

/** What is known of a query before its results are: how far the best scores stand out, and how much of it the index knows. */
const signalsOf = ({ text, dense, lexical }) => {
  const standing = ({ hits, absent }) => {
    const [best = absent, ...others] = Array.from({ length: 10 }, (_, i) => hits[i]?.standard ?? absent);
    return { best, lead: best - mean(others) };
  };
  const [cosines, words] = [standing(dense), standing(lexical)];
  const ofWords = new Set(lexical.hits.slice(0, 10).map(({ chunkId }) => chunkId));
  return {
    'best cosine': cosines.best,
    'lead of the best cosine': cosines.lead,
    'best by words': words.best,
    'lead of the best by words': words.lead,
    'share of what the words can reach': (lexical.hits[0]?.score ?? 0) / (lexical.spread.attainable || 1),
    'words in the query': Math.log(text.split(/\s+/).length),
    'share of the query that is known': lexical.spread.known,
    'results in both': dense.hits.slice(0, 10).filter(({ chunkId }) => ofWords.has(chunkId)).length / 10,
  };
};

/** Between two weights of the table, the value is interpolated. */
const valueAt = (at, weight) => {
  const below = Math.min(STEPS - 1, Math.floor(weight * STEPS));
  const part = weight * STEPS - below;
  return at[below] * (1 - part) + at[below + 1] * part;
};
const atDefault = ({ queries }) => queries.map(({ at, weight }) => valueAt(at, weight));

const sides = (sets) => {
  head(['set, model', 'queries', 'sparse', 'dense', 'RRF', `${DENSE_WEIGHT} for all`, 'default', 'above the better side', '95 % interval']);
  const gains = [];
  for (const set of sets) {
    const [sparse, dense, rrf] = ['sparse', 'dense', 'rrf'].map((side) => set.queries.map((query) => query[side]));
    const better = mean(sparse) >= mean(dense) ? sparse : dense;
    const differences = atDefault(set).map((value, i) => value - better[i]);
    const [[low, high]] = bootstrapIntervals([Float64Array.from(differences)], {
      ...{ resamples: 10_000, level: 0.05, random: new SeededRandom(SEED) },
    });
    if (!set.foreign) gains.push(mean(differences));
    row([
      ...[set.name, set.queries.length],
      ...[sparse, dense, rrf, set.queries.map(({ at }) => at[Math.round(DENSE_WEIGHT * STEPS)]), atDefault(set)].map((values) =>
        mean(values).toFixed(4),
      ),
      ...[signed(mean(differences)), `${signed(low)} … ${signed(high)}`],
    ]);
  }
  if (gains.length > 0) console.log(`\nmean over the ${gains.length} sets in a language that the model knows: ${signed(mean(gains))}`);
};

/** Each set counts the same, whatever the number of its queries. */
const pooled = (sets) => sets.flatMap(({ queries }) => queries.map((query) => ({ ...query, share: 1 / queries.length })));
const meanOf = (queries, value) =>
  queries.reduce((sum, query) => sum + query.share * value(query), 0) / queries.reduce((sum, { share }) => sum + share, 0);

const signals = (sets) => {
  const all = pooled(sets.filter(({ foreign }) => !foreign));
  const shown = [0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 1];
  for (const name of Object.keys(all[0].signals)) {
    console.log(`\n${name}`);
    head(['fifth', ...shown.map((weight) => weight.toFixed(1)), 'best']);
    const ordered = all.toSorted((a, b) => a.signals[name] - b.signals[name]);
    for (let fifth = 0; fifth < 5; fifth++) {
      const part = ordered.slice(Math.floor((fifth * all.length) / 5), Math.floor(((fifth + 1) * all.length) / 5));
      const values = WEIGHTS.map((_, i) => meanOf(part, ({ at }) => at[i]));
      row([
        ...[fifth + 1, ...shown.map((weight) => values[Math.round(weight * STEPS)].toFixed(3))],
        WEIGHTS[values.indexOf(Math.max(...values))].toFixed(2),
      ]);
    }
  }
};

const CHOICES = {
  'one weight for all': [],
  'both bests': ['best cosine', 'best by words'],
  'both leads': ['lead of the best cosine', 'lead of the best by words'],
  'leads, share of words': ['lead of the best cosine', 'lead of the best by words', 'share of what the words can reach'],
  'all signals': undefined,
};

const sigmoid = (value) => 1 / (1 + Math.exp(-value));
/** A weight of 0 to 1 from the standardised signals: the logistic function of a weighted sum, found by a random search. */
const fitted = (sets, names, scaled) => {
  const queries = pooled(sets);
  const random = new SeededRandom(SEED);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  const apply =
    ([bias, ...factors]) =>
    (query) =>
      sigmoid(bias + factors.reduce((sum, factor, i) => sum + factor * scaled(query, names[i]), 0));
  // Small factors are preferred: a large one has to be worth it.
  const worth = (factors) =>
    meanOf(queries, (query) => valueAt(query.at, apply(factors)(query))) -
    0.002 * factors.slice(1).reduce((sum, factor) => sum + factor ** 2, 0);
  let best = [Math.log(DENSE_WEIGHT / (1 - DENSE_WEIGHT)), ...names.map(() => 0)];
  let value = worth(best);
  let step = 0.5;
  for (let i = 0; i < 400; i++) {
    const candidate = best.map((factor) => factor + step * normal());
    const candidateValue = worth(candidate);
    if (candidateValue > value) [best, value] = [candidate, candidateValue];
    else step = Math.max(0.03, step * 0.99);
  }
  return apply(best);
};

const weights = (all) => {
  const sets = all.filter(({ foreign }) => !foreign);
  const every = pooled(sets);
  const scales = new Map(
    Object.keys(every[0].signals).map((name) => {
      const center = meanOf(every, ({ signals: of }) => of[name]);
      return [name, { center, deviation: Math.sqrt(meanOf(every, ({ signals: of }) => (of[name] - center) ** 2)) || 1 }];
    }),
  );
  const scaled = (query, name) => (query.signals[name] - scales.get(name).center) / scales.get(name).deviation;
  head(['weight from', ...sets.map(({ name }) => name), 'mean']);
  for (const [label, names = [...scales.keys()]] of Object.entries(CHOICES)) {
    const gains = sets.map((set) => {
      const weigh = fitted(
        sets.filter((other) => other.set !== set.set),
        names,
        scaled,
      );
      return mean(set.queries.map((query) => valueAt(query.at, weigh(query)))) - mean(atDefault(set));
    });
    row([label, ...gains.map((gain) => signed(gain)), signed(mean(gains))]);
  }
};

const foreign = (all) => {
  const sets = all.filter((set) => set.foreign);
  if (sets.length < 3) throw new Error('needs at least three sets in languages that the model does not know: one is left out each time');
  const table = sets.map(({ queries }) => WEIGHTS.map((_, i) => mean(queries.map(({ at }) => at[i]))));
  head(['left out', 'weight chosen on the others', 'nDCG@10 with it', `with the default ${FOREIGN_DENSE_WEIGHT}`, 'words alone']);
  sets.forEach(({ name }, left) => {
    const others = WEIGHTS.map((_, at) => mean(table.filter((_, i) => i !== left).map((values) => values[at])));
    const at = others.indexOf(Math.max(...others));
    const values = table[left];
    row([name, WEIGHTS[at], ...[values[at], values[Math.round(FOREIGN_DENSE_WEIGHT * STEPS)], values[0]].map((value) => value.toFixed(4))]);
  });
};

const COMMANDS = { sides, signals, weights, foreign };
const { positionals } = parseArgs({ allowPositionals: true });
const [command, ...files] = positionals;
if (Object.hasOwn(COMMANDS, command ?? '') && files.length > 0) COMMANDS[command](await load(files));
else {
  console.error(`usage: fusion.mjs ${Object.keys(COMMANDS).join('|')} <scores file>...`);
  process.exitCode = 2;
}
