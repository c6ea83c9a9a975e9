/**
 * How long the comparison of two sides takes: measuring four measures of two runs, and their statistics (10,000 permutations and 10,000
 * resamples), next to sorting the same runs, which any comparison has to do.
 *
 *   node --conditions=@palimpsest/source tools/bench/evaluation.mjs [--queries 10000] [--rounds 5]     (Node 24; about 30 s)
 */
import { parseArgs } from 'node:util';
import { compareSides, measureNamed, rankByScore } from '@palimpsest/evaluation';
import { median, seededRandom } from './lib/figures.mjs';

const { values: options } = parseArgs({
  options: { queries: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '5' } },
});
const MEASURES = ['nDCG@10', 'R@100', 'RR@10', 'Success@10'].map(measureNamed);
const DOCUMENTS = 100;

const random = seededRandom(1);
const queries = Array.from({ length: Number(options.queries) }, () => {
  const run = () => Array.from({ length: DOCUMENTS }, (_, index) => ({ id: `document-${index}`, score: random() }));
  const judgements = new Map(Array.from({ length: 5 }, (_, index) => [`document-${index}`, 1 + Math.floor(random() * 3)]));
  return { judgements, before: run(), after: run() };
});

const sort = () => queries.map(({ before, after }) => ({ before: rankByScore(before), after: rankByScore(after) }));
const measure = (rankings) =>
  MEASURES.map(({ name, of }) => ({
    measure: name,
    before: queries.map(({ judgements }, at) => of(rankings[at].before, judgements)),
    after: queries.map(({ judgements }, at) => of(rankings[at].after, judgements)),
  }));

/** Wall and CPU time in ms. */
const timed = (work) => {
  const began = performance.now();
  const cpu = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(cpu);
  return { result, wall: performance.now() - began, cpu: (user + system) / 1000 };
};

const times = { sort: [], measure: [], compare: [] };
for (let round = 0; round < Number(options.rounds); round++) {
  const sorted = timed(sort);
  const measured = timed(() => measure(sorted.result));
  const compared = timed(() => compareSides(measured.result, { margin: 0.02, seed: round }));
  for (const [name, time] of Object.entries({ sort: sorted, measure: measured, compare: compared })) times[name].push(time);
}
console.log(`${queries.length} queries on 2 sides, ${DOCUMENTS} documents each, median of ${options.rounds} rounds`);
for (const [name, each] of Object.entries(times))
  console.log(
    `${name.padEnd(8)} ${median(each.map(({ wall }) => wall)).toFixed(0)} ms, ${median(each.map(({ cpu }) => cpu)).toFixed(0)} ms CPU`,
  );
