import { rankByScore } from '@palimpsest/evaluation';
import { page, row, table } from '../render/html.ts';
import { escaped } from '../render/markup.ts';
import { differencePlot, intervalPlot } from '../render/plots.ts';
import { signed } from '../render/signed.ts';
import { changesMarkup } from './changes-report.ts';
import type { Candidate, ChangedQuery, ComparedRuns, QueryDifference } from './compare-runs.ts';
import { conclusion, percentOf } from './conclusion.ts';
import type { JudgementsByQuery, QueryJudgements } from './judgements-file.ts';
import type { NamedRun } from './named-run.ts';
import type { Run } from './trec-run.ts';

/** The judgements, and the file that they were read from. */
type Judged = Readonly<{ qrels: string; judgements: JudgementsByQuery }>;

/** Documents of a ranking that are listed. */
const SHOWN_DOCUMENTS = 10;

/** The comparison of runs as one HTML file. The same files and seed give the same report. */
export const comparisonReport = (compared: ComparedRuns, judged: Judged): string => {
  const { before, candidates } = compared;
  const title = `${candidates.length === 1 ? candidates[0].file : `${candidates.length} runs`} compared with ${before.file}`;
  return page(
    title,
    [
      `<h1>${escaped(title)}</h1>`,
      candidates.length === 1 ? '' : overview(candidates),
      ...candidates.map((candidate) => section(candidate, before.run, judged.judgements)),
      conditions(compared, judged.qrels),
    ].join(''),
  );
};

const overview = (candidates: readonly Candidate[]): string =>
  table(
    ['run', 'verdict'],
    candidates.map(({ file, comparison }) => row(id(file), escaped(conclusion(comparison)))),
  );

const section = ({ file, run, comparison, differences }: Candidate, before: Run, judgements: JudgementsByQuery): string => {
  const { verdict, measures, margin, level, worst, best } = comparison;
  const first = measures[0]?.measure ?? '';
  const queries = (title: string, shown: readonly ChangedQuery[]): string =>
    shown.length === 0
      ? ''
      : `<h3>${escaped(`${title} (${first})`)}</h3>` +
        table(
          ['query', 'before', 'after', 'difference', 'results before', 'results after'],
          shown.map((each) => {
            const ofQuery = judgements.get(each.query);
            return row(
              id(each.query),
              ...[each.before.toFixed(4), each.after.toFixed(4), signed(each.difference)],
              ...[before, run].map((side) => ranking(side, each.query, ofQuery)),
            );
          }),
        ) +
        shown.map(changesMarkup).join('');
  return [
    `<h2>${id(file)}</h2>`,
    `<p><span class="verdict ${verdict.replace(' ', '-')}">${verdict}</span></p><p>${escaped(conclusion(comparison))}</p>`,
    table(
      ['measure', 'before', 'after', 'difference', `${percentOf(level)} interval`, 'p', 'p (Holm)', 'detectable', 'verdict'],
      measures.map((each) =>
        row(
          escaped(each.measure),
          ...[each.before.toFixed(4), each.after.toFixed(4), signed(each.difference), each.interval.map(signed).join(' to ')],
          ...[each.p, each.adjustedP, each.smallestDetectableEffect].map((figure) => figure.toFixed(4)),
          each.verdict,
        ),
      ),
    ),
    intervalPlot(
      measures.map(({ measure: label, interval, difference }) => ({ label, interval, difference })),
      margin,
    ),
    `<h3>${escaped(`All queries (${first})`)}</h3>`,
    allQueries(differences),
    queries('Largest losses', worst),
    queries('Largest gains', best),
  ].join('');
};

const allQueries = (all: readonly QueryDifference[]): string => {
  const differences = all.map(({ difference }) => difference);
  const [lost, gained] = [differences.filter((each) => each < 0).length, differences.filter((each) => each > 0).length];
  return (
    `<p>${lost} of ${all.length} queries lose, ${gained} gain, ${all.length - lost - gained} are the same.</p>` +
    (lost + gained === 0 ? '' : differencePlot(differences))
  );
};

/** The first documents of a run with their scores, and their grades if they were judged. */
const ranking = (run: Run, query: string, judgements: QueryJudgements | undefined): string => {
  const documents = run.get(query);
  if (documents === undefined) return '<span class="quiet">no results: counts as 0</span>';
  const scores = new Map(documents.map((document) => [document.id, document.score]));
  const shown = rankByScore(documents).slice(0, SHOWN_DOCUMENTS);
  const items = shown.map((document) => {
    const grade = judgements?.grades.get(document);
    const score = Number((scores.get(document) ?? 0).toPrecision(6));
    return `<li>${id(document)} <span class="quiet">${score}</span>${grade === undefined ? '' : ` ${mark(document, grade, judgements)}`}</li>`;
  });
  const more = documents.length - shown.length;
  return `<ol>${items.join('')}</ol>${more > 0 ? `<span class="quiet">and ${more} more</span>` : ''}`;
};

/** The grade of a judged document, with the subtopics that it is relevant to if the query has several. */
const mark = (document: string, grade: number, judgements: QueryJudgements | undefined): string => {
  const covered = [...(judgements?.subtopics ?? [])].filter(([, grades]) => (grades.get(document) ?? 0) >= 1).map(([name]) => name);
  const subtopics =
    covered.length === 0 || judgements?.subtopics.size === 1
      ? ''
      : `, ${covered.length === 1 ? 'subtopic' : 'subtopics'} ${covered.join(', ')}`;
  return `<span class="${grade >= 1 ? 'relevant' : 'quiet'}">${escaped(`grade ${grade}${subtopics}`)}</span>`;
};

/** What the figures depend on, so that anyone can calculate them again. */
const conditions = ({ before, candidates }: ComparedRuns, qrels: string): string => {
  const { queries, margin, level, seed, measures, unseenShare, withoutResults } = candidates[0].comparison;
  const missing = [
    [before.file, withoutResults.before] as const,
    ...candidates.map(({ file, comparison }) => [file, comparison.withoutResults.after] as const),
  ];
  const facts: readonly (readonly [string, string])[] = [
    ['runs', `${id(before.file)} with ${candidates.map(({ file }) => id(file)).join(', ')}`],
    ['judgements', `${id(qrels)}: ${queries} queries with a relevant document`],
    ['margin', `${margin}: the loss that is accepted in each measure`],
    ['level', `${level}: of tests, and of the ${percentOf(level)} intervals`],
    ['correction', `Holm, for ${measures.length} × ${candidates.length} tests (measures × runs)`],
    ['seed', `${seed}: of the sign patterns of the randomisation tests and the samples of the bootstrap`],
    ['explanations', explanations([before, ...candidates])],
    [
      'counts as 0',
      `queries without results: ${missing.map(([file, count]) => `${id(file)} ${count}`).join(', ')}; documents without a grade, or with one below 1, are not relevant`,
    ],
    ['not seen', `up to ${(unseenShare * 100).toFixed(1)} % of all queries could differ without one of them being among these`],
  ];
  return `<h2>Conditions</h2>${table(
    ['condition', ''],
    facts.map(([name, value]) => row(name, value)),
  )}`;
};

/** Which runs say why their documents have their ranks. */
const explanations = (runs: readonly NamedRun[]): string => {
  const explained = runs.filter((run) => run.explanations !== undefined);
  return explained.length === 0
    ? 'no run is explained: <code>palimpsest eval --run &lt;file&gt; --explain</code> writes why each document has its rank'
    : `of ${explained.map(({ file }) => id(file)).join(', ')}`;
};

/** A name from a file, isolated so that its writing direction changes nothing around it. */
const id = (name: string): string => `<bdi>${escaped(name)}</bdi>`;
