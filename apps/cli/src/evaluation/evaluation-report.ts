import { describeFloors, type EvaluationView } from '@palimpsest/client';
import { pastFigures } from './past-figures.ts';

type Measure = EvaluationView['measures'][number];
type Query = EvaluationView['worst'][number];
type Result = Query['resultsBefore'][number];

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const html = (text: string | number): string => String(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
/** The evidence of the canary strings, if the model has any. */
export const sameModel = ({ strings, lowest }: NonNullable<EvaluationView['canaryStrings']>): string =>
  `the same as when it was first used: lowest cosine ${lowest.toFixed(4)} over ${strings} canary strings`;

const signed = (value: number): string => `${value > 0 ? '+' : ''}${value.toFixed(4)}`;
const row = (...cells: readonly string[]): string => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
const table = (head: readonly string[], rows: readonly string[]): string =>
  `<table><thead><tr>${head.map((name) => `<th>${html(name)}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;

const STYLE =
  'body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#1c2430;background:#fff}' +
  'table{border-collapse:collapse;margin:1rem 0;width:100%}th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid #dde2ea;vertical-align:top}' +
  '.verdict{display:inline-block;padding:.2rem .7rem;border-radius:.4rem;font-weight:600}.not-worse{background:#d9f2e0}.worse{background:#fbdcdc}.undecided{background:#fdf1cf}' +
  'ol{margin:0;padding-left:1.4rem}svg{display:block;margin:1rem 0;max-width:100%}';

/** Width of the figure, and the part of it on each side of 0. */
const [WIDTH, HEIGHT, LABEL] = [680, 34, 150];

/** The interval of each measure, with 0 and the accepted loss as lines. Everything is drawn here, so that the file needs no network. */
const intervals = ({ measures, margin }: EvaluationView): string => {
  const reach = Math.max(margin * 2, ...measures.flatMap(({ interval }) => interval.map(Math.abs))) * 1.1;
  const x = (value: number): string => (LABEL + ((value + reach) / (2 * reach)) * (WIDTH - LABEL)).toFixed(1);
  const height = HEIGHT * measures.length + 30;
  const line = (value: number, dash: string, label: string): string =>
    `<line x1="${x(value)}" x2="${x(value)}" y1="0" y2="${height - 20}" stroke="#8793a5" stroke-dasharray="${dash}"/>` +
    `<text x="${x(value)}" y="${height - 4}" font-size="12" text-anchor="middle">${label}</text>`;
  const bar = ({ source, measure, interval: [low = 0, high = 0], difference }: Measure, i: number): string => {
    const y = HEIGHT * i + HEIGHT / 2;
    return (
      `<text x="0" y="${y + 4}" font-size="13">${html(`${measure} (${source})`)}</text>` +
      `<line x1="${x(low)}" x2="${x(high)}" y1="${y}" y2="${y}" stroke="#2f6fde" stroke-width="4"/>` +
      `<circle cx="${x(difference)}" cy="${y}" r="5" fill="#17408b"/>`
    );
  };
  return `<svg role="img" aria-label="Intervals of the differences" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}">${line(0, '0', '0')}${line(-margin, '4 3', `−${margin}`)}${measures.map(bar).join('')}</svg>`;
};

const results = (found: readonly Result[]): string =>
  `<ol>${found.map(({ documentId, source = documentId }) => `<li>${html(source)}</li>`).join('')}</ol>`;

const queries = (title: string, changed: readonly Query[]): string =>
  changed.length === 0
    ? ''
    : `<h2>${html(title)}</h2>` +
      table(
        ['query', 'before', 'after', 'results before', 'results after'],
        changed.map(({ name, text = name, before, after, resultsBefore, resultsAfter }) =>
          row(html(text), before.toFixed(4), after.toFixed(4), results(resultsBefore), results(resultsAfter)),
        ),
      );

const measureRow = (each: Measure): string =>
  row(
    html(`${each.queries} ${each.source}`),
    html(each.measure),
    each.before.toFixed(4),
    each.after.toFixed(4),
    signed(each.difference),
    each.interval.map(signed).join(' to '),
    each.p.toFixed(4),
    each.smallestDetectableEffect.toFixed(4),
    `${each.better} / ${each.worse}`,
    html(each.verdict),
  );

const floors = ({ scoreFloors }: EvaluationView): string => {
  const described = describeFloors(scoreFloors);
  if (described === undefined) return '';
  return (
    '<h2>Score floors</h2>' +
    `<p>The <code>minScore</code> that keeps the same share of the first ten documents with the new model, by ${html(described.basis)}. Nothing is changed automatically: change it where callers set it, at the cut-over.</p>` +
    table(
      ['old model', 'new model', 'results kept', ''],
      described.rows.map(({ before, after, kept, isRough }) => row(before, after, kept, isRough ? 'rough' : '')),
    ) +
    (described.note === undefined ? '' : `<p>${html(described.note)}</p>`)
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
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${html(`Evaluation of ${scope} ${generation}`)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${html(`${scope}: ${generation} compared with ${against}`)}</h1><p class="verdict ${verdict}">${verdict.replace('-', ' ')}</p>`,
    `<ul>${reasons.map((reason) => `<li>${html(reason)}</li>`).join('')}</ul>`,
    table(heads, measures.map(measureRow)),
    measures.length === 0 ? '' : intervals(evaluation),
    table(
      ['evidence', ''],
      facts.map(([name, value]) => row(html(name), html(value))),
    ),
    floors(evaluation),
    queries('Queries that got worse', evaluation.worst),
    queries('Queries that got better', evaluation.best),
    '</body></html>\n',
  ].join('');
};
