/**
 * What do the vectors of a companion add? From files that `fusion-scores.mjs` wrote with `--companion`:
 *
 *   node --conditions=@palimpsest/source tools/eval/companion.mjs sides [--weight .2] <scores file>...     each model alone, hybrid with each, and reranked
 *   node --conditions=@palimpsest/source tools/eval/companion.mjs weights <scores file>...                 the weight of the companion, chosen without the reported set
 *
 * As the platform does it: the best 30 of the hybrid search are reranked; a hit that is not among them stays below.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { measureNamed } from '@palimpsest/evaluation';
import { SeededRandom } from '@palimpsest/foundation';
import { bootstrapIntervals } from '../../libs/evaluation/src/statistics/bootstrap.ts';
import { blend, whyFlat } from '../../libs/query/src/ranking/blend.ts';
import { DENSE_WEIGHT, FOREIGN_DENSE_WEIGHT, fuseStandardScores } from '../../libs/query/src/ranking/fusion.ts';

const SEED = 1;
const MEASURE = measureNamed('nDCG@10');
const CANDIDATES = 30;
const WEIGHTS = Array.from({ length: 11 }, (_, i) => i / 10);

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const signed = (value) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`;
const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
const head = (cells) => {
  row(cells);
  row(cells.map(() => '---'));
};

const reranked = (hits, cosines, weight) => {
  const best = hits.slice(0, CANDIDATES);
  const scores = best.map(({ chunkId }) => cosines[chunkId]);
  return whyFlat(scores) === undefined ? blend(best, scores, { weight, name: 'companion' }) : best;
};

const measured = (set) => ({
  name: set.set,
  queries: set.queries.map(({ relevant, dense, lexical, companion }) => {
    const judgements = new Map(Object.entries(relevant));
    const value = (hits) =>
      MEASURE.of(
        hits.map(({ chunkId }) => chunkId),
        judgements,
      );
    const weight = set.foreign ? FOREIGN_DENSE_WEIGHT : 1 - (1 - DENSE_WEIGHT) * lexical.spread.known;
    const hybrid = fuseStandardScores({ dense, lexical }, () => weight);
    return {
      sparse: value(lexical.hits),
      dense: value(dense.hits),
      other: value(companion.dense.hits),
      hybrid: value(hybrid),
      otherHybrid: value(fuseStandardScores({ dense: companion.dense, lexical }, () => weight)),
      at: WEIGHTS.map((share) => value(reranked(hybrid, companion.of, share))),
    };
  }),
});

const of = ({ queries }, key) => queries.map((query) => query[key]);
const at = ({ queries }, weight) => queries.map((query) => query.at[WEIGHTS.indexOf(weight)]);

const interval = (values, against) => {
  const [[low, high]] = bootstrapIntervals([Float64Array.from(values.map((value, i) => value - against[i]))], {
    ...{ resamples: 10_000, level: 0.05, random: new SeededRandom(SEED) },
  });
  return `${signed(low)} … ${signed(high)}`;
};

const sides = (sets, weight) => {
  head([
    'set',
    'queries',
    'sparse',
    'first model',
    'companion alone',
    'hybrid',
    'hybrid with the companion',
    'reranked',
    'gain',
    '95 % interval',
  ]);
  const gains = [];
  for (const set of sets) {
    const [hybrid, after] = [of(set, 'hybrid'), at(set, weight)];
    gains.push(mean(after) - mean(hybrid));
    const values = ['sparse', 'dense', 'other', 'hybrid', 'otherHybrid'].map((key) => mean(of(set, key)).toFixed(4));
    row([set.name, set.queries.length, ...values, mean(after).toFixed(4), signed(gains.at(-1)), interval(after, hybrid)]);
  }
  console.log(`\nmean gain over the ${sets.length} sets: ${signed(mean(gains))}`);
};

/** Of the same sets, with the weight that is best on all the others. */
const weights = (sets) => {
  if (sets.length < 3) throw new Error('needs at least three sets: one is left out each time');
  const table = sets.map((set) => WEIGHTS.map((weight) => mean(at(set, weight)) - mean(of(set, 'hybrid'))));
  head(['gain with the weight', ...WEIGHTS.map((weight) => weight.toFixed(1)), 'chosen on the others', 'gain with it']);
  sets.forEach(({ name }, left) => {
    const others = WEIGHTS.map((_, i) => mean(table.filter((_, set) => set !== left).map((gains) => gains[i])));
    const chosen = others.indexOf(Math.max(...others));
    row([name, ...table[left].map(signed), WEIGHTS[chosen], signed(table[left][chosen])]);
  });
};

const COMMANDS = { sides, weights };
const { values, positionals } = parseArgs({ allowPositionals: true, options: { weight: { type: 'string', default: '0.2' } } });
const [command, ...files] = positionals;
if (Object.hasOwn(COMMANDS, command ?? '') && files.length > 0) {
  const sets = (await Promise.all(files.map(async (file) => JSON.parse(await readFile(file, 'utf8'))))).flat();
  const without = sets.find(({ companion }) => companion === undefined);
  if (without) throw new Error(`the scores of ${without.set} have no companion: run fusion-scores.mjs with --companion`);
  COMMANDS[command](sets.map(measured), Number(values.weight));
} else {
  console.error(`usage: companion.mjs ${Object.keys(COMMANDS).join('|')} <scores file>...`);
  process.exitCode = 2;
}
