import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../test/run.ts';

/** Judgements, two runs and what pytrec_eval, ir_measures and pyndeval say of them, written by tools/eval/golden-evaluation.py. */
const FOLDER = join(import.meta.dirname, '../../test/golden');

type Side = Readonly<{ means: Readonly<Record<string, number>>; 'nDCG@10': Readonly<Record<string, number>> }>;
type Expected = Readonly<{ queries: number; before: Side; after: Side }>;
type Query = Readonly<{ query: string; before: number; after: number }>;
type Compared = Readonly<{
  queries: number;
  withoutResults: unknown;
  measures: readonly Readonly<{ measure: string; before: number; after: number }>[];
  worst: readonly Query[];
  best: readonly Query[];
}>;

const compared = async (measures: readonly string[]): Promise<Compared> => {
  const args = ['before.trec', 'after.trec', '--qrels', 'judgements.qrels', '--json'];
  const { out } = await run(['eval', 'compare', ...args, ...measures.flatMap((name) => ['--measure', name])], { cwd: FOLDER });
  return JSON.parse(out) as Compared;
};

describe('palimpsest eval compare, next to pytrec_eval, ir_measures and pyndeval', () => {
  let expected: Expected;
  beforeAll(async () => {
    expected = JSON.parse(await readFile(join(FOLDER, 'expected.json'), 'utf8')) as Expected;
  });

  it('gives the same mean of each measure, to 1e-9: with ties, grades, and documents and queries that only one file has', async () => {
    const names = Object.keys(expected.before.means);
    expect(names.toSorted()).toEqual(
      ['AP', 'Judged@10', 'R@10', 'R@100', 'RR@10', 'Success@1', 'Success@10', 'alpha_nDCG@10', 'nDCG@10'].toSorted(),
    );
    const { queries, withoutResults, measures } = await compared(names);
    expect([queries, withoutResults]).toEqual([expected.queries, { before: 2, after: 4 }]);
    const wrong = measures.filter(({ measure, before, after }) => {
      const [first, second] = [expected.before.means[measure] ?? Number.NaN, expected.after.means[measure] ?? Number.NaN];
      return !(Math.abs(before - first) <= 1e-9 && Math.abs(after - second) <= 1e-9);
    });
    expect([measures.length, wrong]).toEqual([names.length, []]);
  });

  it('finds the queries that differ most, with the same values', async () => {
    const differences = Object.keys(expected.before['nDCG@10'])
      .map((query) => ({
        query,
        before: expected.before['nDCG@10'][query] ?? Number.NaN,
        after: expected.after['nDCG@10'][query] ?? Number.NaN,
      }))
      .sort((a, b) => a.after - a.before - (b.after - b.before));
    const { worst, best } = await compared(['nDCG@10']);
    const figures = (queries: readonly Query[]) =>
      queries.map(({ query, before, after }) => ({ query, before: before.toFixed(9), after: after.toFixed(9) }));
    expect(figures(worst)).toEqual(figures(differences.slice(0, 5)));
    expect(figures(best)).toEqual(figures(differences.slice(-5).reverse()));
  });
});
