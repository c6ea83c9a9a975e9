import { describeFloors, type EvaluationView } from '@palimpsest/client';
import { page, row, table } from '../render/html.ts';
import { escaped } from '../render/markup.ts';
import { intervalPlot, type PlottedInterval } from '../render/plots.ts';
import { signed } from '../render/signed.ts';
import { pastFigures } from './past-figures.ts';

type Measure = EvaluationView['measures'][number];
type Query = EvaluationView['worst'][number];
type Result = Query['resultsBefore'][number];

/** The evidence of the canary strings, if the model has any. */
export const sameModel = ({ strings, lowest }: NonNullable<EvaluationView['canaryStrings']>): string =>
  `the same as when it was first used: lowest cosine ${lowest.toFixed(4)} over ${strings} canary strings`;

const plotted = ({ measure, source, interval, difference }: Measure): PlottedInterval => ({
  label: `${measure} (${source})`,
  interval,
  difference,
});

const results = (found: readonly Result[]): string =>
  `<ol>${found.map(({ documentId, source = documentId }) => `<li>${escaped(source)}</li>`).join('')}</ol>`;

const queries = (title: string, changed: readonly Query[]): string =>
  changed.length === 0
    ? ''
    : `<h2>${escaped(title)}</h2>` +
      table(
        ['query', 'before', 'after', 'results before', 'results after'],
        changed.map(({ name, text = name, before, after, resultsBefore, resultsAfter }) =>
          row(escaped(text), before.toFixed(4), after.toFixed(4), results(resultsBefore), results(resultsAfter)),
        ),
      );

const measureRow = (each: Measure): string =>
  row(
    escaped(`${each.queries} ${each.source}`),
    escaped(each.measure),
    each.before.toFixed(4),
    each.after.toFixed(4),
    signed(each.difference),
    each.interval.map(signed).join(' to '),
    each.p.toFixed(4),
    each.smallestDetectableEffect.toFixed(4),
    `${each.better} / ${each.worse}`,
    escaped(each.verdict),
  );

const floors = ({ scoreFloors }: EvaluationView): string => {
  const described = describeFloors(scoreFloors);
  if (described === undefined) return '';
  return (
    '<h2>Score floors</h2>' +
    `<p>The <code>minScore</code> that keeps the same share of the first ten documents with the new model, by ${escaped(described.basis)}. Nothing is changed automatically: change it where callers set it, at the cut-over.</p>` +
    table(
      ['old model', 'new model', 'results kept', ''],
      described.rows.map(({ before, after, kept, isRough }) => row(before, after, kept, isRough ? 'rough' : '')),
    ) +
    (described.note === undefined ? '' : `<p>${escaped(described.note)}</p>`)
  );
};

/** An evaluation as one HTML file, without scripts and without anything to load. */
export const evaluationReport = (evaluation: EvaluationView): string => {
  const {
    scope,
    generation,
    against,
    verdict,
    reasons,
    decidedBy,
    measures,
    coverage,
    golden,
    spotCheck,
    canaryStrings,
    agreement,
    past,
    latency,
  } = evaluation;
  const facts: readonly (readonly [string, string])[] = [
    ['decided by', decidedBy],
    ['evaluated', `${evaluation.evaluatedAt}, by ${evaluation.by === 'person' ? 'a person' : 'the platform'}`],
    ['log', `positions ${evaluation.from} to ${evaluation.upTo}, seed ${evaluation.seed}`],
    [
      'coverage',
      `${coverage.chunks} chunks; ${coverage.refused} refused by the model; ${coverage.unexplained} without a vector or a reason`,
    ],
    ['judged queries', `${golden.used} used, ${golden.synthetic} synthetic left out, ${golden.unusable} without a relevant document`],
    ['left out', `${evaluation.unsettled} queries, because documents changed meanwhile`],
    [
      'spot check',
      `${spotCheck.checked} chunks embedded again, ${spotCheck.mismatched} with another vector${spotCheck.lowest === undefined ? '' : `, lowest cosine ${spotCheck.lowest.toFixed(4)}`}`,
    ],
    ...(canaryStrings ? [['model', sameModel(canaryStrings)] as const] : []),
    ...(agreement
      ? [
          [
            'agreement',
            `overlap@10 ${agreement.overlap.toFixed(3)}, RBO ${agreement.rbo.toFixed(3)}, mean shift of scores ${signed(agreement.scoreShift)}, of ranks ${signed(agreement.rankShift)}`,
          ] as const,
        ]
      : []),
    ...(past ? [['past queries', pastFigures(past)] as const] : []),
    ...(latency
      ? [
          [
            'latency',
            `p50 ${latency.before.p50} → ${latency.after.p50} ms, p95 ${latency.before.p95} → ${latency.after.p95} ms (embed and search)`,
          ] as const,
        ]
      : []),
  ];
  const heads = ['queries', 'measure', 'before', 'after', 'difference', '95 % interval', 'p', 'detectable', 'better / worse', 'verdict'];
  return page(
    `Evaluation of ${scope} ${generation}`,
    [
      `<h1>${escaped(`${scope}: ${generation} compared with ${against}`)}</h1><p class="verdict ${verdict}">${verdict.replace('-', ' ')}</p>`,
      `<ul>${reasons.map((reason) => `<li>${escaped(reason)}</li>`).join('')}</ul>`,
      table(heads, measures.map(measureRow)),
      measures.length === 0 ? '' : intervalPlot(measures.map(plotted), evaluation.margin),
      table(
        ['evidence', ''],
        facts.map(([name, value]) => row(escaped(name), escaped(value))),
      ),
      floors(evaluation),
      queries('Queries that got worse', evaluation.worst),
      queries('Queries that got better', evaluation.best),
    ].join(''),
  );
};
