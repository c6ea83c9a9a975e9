/**
 * How well is relevance calibrated? From the files of `fusion-scores.mjs`:
 *
 *   node --conditions=@palimpsest/source tools/eval/relevance.mjs fit <scores file>...       the parameters, fitted to all sets
 *   node --conditions=@palimpsest/source tools/eval/relevance.mjs error <scores file>...     calibration error on each set, fitted without it; of a fitted cosine next to it
 *   node --conditions=@palimpsest/source tools/eval/relevance.mjs misses <scores file>...    queries below the floor of a miss, with their answers in the scope and without
 *
 * Only whole sets are fitted to. `error` and `misses` leave all files of a set out, whatever their model and the size of their scopes.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { pooledSpread, standardScore } from '@palimpsest/knowledge/read-models';
import { DENSE_WEIGHT, FOREIGN_DENSE_WEIGHT, fuseStandardScores } from '../../libs/query/src/ranking/fusion.ts';
import { relevanceOf } from '../../libs/query/src/ranking/relevance.ts';
import { MISS_FLOOR } from '../../libs/query/src/search/retrieval-miss.ts';

/** Results of a query that are judged, as for a search for ten. */
const TOP = 10;
const BINS = 10;

const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
const head = (cells) => {
  row(cells);
  row(cells.map(() => '---'));
};
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const logistic = (value) => 1 / (1 + Math.exp(-value));

/** The spread without some of its values. */
const without = ({ count, mean: center, deviation }, values) => {
  const rest = count - values.length;
  if (rest <= 0) return { count: 0, mean: 0, deviation: 0 };
  const sum = center * count - values.reduce((all, value) => all + value, 0);
  const squares = (deviation ** 2 + center ** 2) * count - values.reduce((all, value) => all + value ** 2, 0);
  return { count: rest, mean: sum / rest, deviation: Math.sqrt(Math.max(0, squares / rest - (sum / rest) ** 2)) };
};

/** The query in a scope that does not have its answers. */
const unanswered = ({ dense, lexical, relevant, ...query }) => {
  const isOther = ({ chunkId }) => relevant[chunkId] === undefined;
  const answers = dense.hits.filter((hit) => !isOther(hit)).map(({ score }) => score);
  return {
    ...query,
    relevant,
    dense: { ...dense, hits: dense.hits.filter(isOther), spread: without(dense.spread, answers) },
    lexical: { ...lexical, hits: lexical.hits.filter(isOther) },
  };
};

/** The best results of a query, with what is known about each and whether it is judged to be relevant. */
const resultsOf = ({ dense, lexical, background, relevant }, foreign) => {
  const weight = foreign ? FOREIGN_DENSE_WEIGHT : 1 - (1 - DENSE_WEIGHT) * lexical.spread.known;
  const spread = pooledSpread([dense.spread, background]);
  const cosines = new Map(dense.hits.map(({ chunkId, score }) => [chunkId, score]));
  const furthest = dense.hits.at(-1)?.score ?? 0;
  const words = new Map(lexical.hits.map(({ chunkId, score }) => [chunkId, Math.min(1, score / (lexical.spread.attainable || 1))]));
  return fuseStandardScores({ dense, lexical }, () => weight)
    .slice(0, TOP)
    .map(({ chunkId }) => {
      const cosine = cosines.get(chunkId) ?? furthest;
      const evidence = { standing: standardScore(cosine, spread), share: words.get(chunkId) ?? 0 };
      return { ...evidence, cosine, right: relevant[chunkId] === undefined ? 0 : 1 };
    });
};

const SIGNS = {
  both: ({ standing, share }) => [1, standing, share],
  vectors: ({ standing }) => [1, standing],
  words: ({ share }) => [1, share],
  'the cosine': ({ cosine }) => [1, cosine],
};

const load = async (files) =>
  (await Promise.all(files.map(async (file) => JSON.parse(await readFile(file, 'utf8'))))).flat().map((set) => ({
    set: set.set,
    foreign: set.foreign,
    whole: set.scope === null,
    name: `${set.set}, ${set.model.replace(/^onnx:|-int8.*$/g, '')}${set.scope === null ? '' : `, scopes of ${set.scope}`}`,
    answered: set.queries.map((query) => resultsOf(query, set.foreign)),
    unanswered: set.queries.map((query) => resultsOf(unanswered(query), set.foreign)),
  }));

/** Solves a linear system, whose matrix is positive definite. */
const solved = (matrix, right) => {
  const rows = matrix.map((line, i) => [...line, right[i]]);
  rows.forEach((line, i) => {
    const pivot = line[i];
    for (let j = i; j < line.length; j++) line[j] /= pivot;
    for (const [other, values] of rows.entries()) {
      if (other === i) continue;
      const factor = values[i];
      for (let j = i; j < values.length; j++) values[j] -= factor * line[j];
    }
  });
  return rows.map((line) => line.at(-1));
};

/** Logistic regression by Newton's method. Each set counts the same. Languages that the model does not know, and sets in small scopes, are left out. */
const fitted = (sets, signs) => {
  const data = sets
    .filter(({ foreign, whole }) => whole && !foreign)
    .flatMap(({ answered }) => {
      const results = answered.flat();
      return results.map((result) => ({ x: signs(result), right: result.right, share: 1 / results.length }));
    });
  const many = data[0].x.length;
  const range = Array.from({ length: many }, (_, i) => i);
  let factors = range.map(() => 0);
  for (let round = 0; round < 30; round++) {
    const gradient = range.map(() => 0);
    const curvature = range.map((i) => range.map((j) => (i === j ? 1e-6 : 0)));
    for (const { x, right, share } of data) {
      const value = logistic(x.reduce((sum, sign, i) => sum + sign * factors[i], 0));
      for (const i of range) {
        gradient[i] += share * (right - value) * x[i];
        for (const j of range) curvature[i][j] += share * value * (1 - value) * x[i] * x[j];
      }
    }
    const step = solved(curvature, gradient);
    factors = factors.map((factor, i) => factor + step[i]);
  }
  return factors;
};
const withFactors = (factors, signs) => (result) => logistic(signs(result).reduce((sum, sign, i) => sum + sign * factors[i], 0));

/** Expected calibration error: mean distance of the promised and the real share of relevant results, over ten bins. */
const errorOf = (results, promised) => {
  const bins = Array.from({ length: BINS }, () => []);
  for (const result of results) bins[Math.min(BINS - 1, Math.floor(promised(result) * BINS))].push(promised(result) - result.right);
  return bins.reduce((sum, bin) => sum + Math.abs(bin.reduce((all, value) => all + value, 0)), 0) / results.length;
};

const others = (sets, left) => sets.filter(({ set }) => set !== left.set);

const fit = (sets) => {
  head(['evidence', 'bias', 'standing', 'share']);
  row(['both', ...fitted(sets, SIGNS.both).map((factor) => factor.toFixed(2))]);
  const [bias, standing] = fitted(sets, SIGNS.vectors);
  row(['vectors', bias.toFixed(2), standing.toFixed(2), '']);
  const [wordBias, share] = fitted(sets, SIGNS.words);
  row(['words', wordBias.toFixed(2), '', share.toFixed(2)]);
};

const error = (sets) => {
  head(['set, model', 'relevant among the first ten', ...Object.keys(SIGNS).map((name) => `error by ${name}`), 'as built']);
  for (const set of sets) {
    const results = set.answered.flat();
    row([
      ...[set.name, mean(results.map(({ right }) => right)).toFixed(3)],
      ...Object.values(SIGNS).map((signs) => errorOf(results, withFactors(fitted(others(sets, set), signs), signs)).toFixed(3)),
      errorOf(results, relevanceOf).toFixed(3),
    ]);
  }
};

const percent = (share) => `${(100 * share).toFixed(0)} %`;
const misses = (sets) => {
  head(['set, model', 'with the answer', 'without it', 'cosine .3: with', 'without']);
  for (const set of sets) {
    const relevance = withFactors(fitted(others(sets, set), SIGNS.both), SIGNS.both);
    const below = (queries, value, floor) => mean(queries.map((results) => (results.some((result) => value(result) >= floor) ? 0 : 1)));
    const cosine = (result) => result.cosine;
    row([
      set.name,
      ...[set.answered, set.unanswered].map((queries) => percent(below(queries, relevance, MISS_FLOOR))),
      ...[set.answered, set.unanswered].map((queries) => percent(below(queries, cosine, 0.3))),
    ]);
  }
};

const COMMANDS = { fit, error, misses };
const { positionals } = parseArgs({ allowPositionals: true });
const [command, ...files] = positionals;
if (Object.hasOwn(COMMANDS, command ?? '') && files.length > 0) COMMANDS[command](await load(files));
else {
  console.error(`usage: relevance.mjs ${Object.keys(COMMANDS).join('|')} <scores file>...`);
  process.exitCode = 2;
}
