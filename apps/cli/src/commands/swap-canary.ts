import type { CanaryOptions, CanaryView, SwapView } from '@palimpsest/client';
import type { Command } from 'commander';
import type { AsAction } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import { numberWithin } from '../options.ts';
import type { Output } from '../render/output.ts';
import type { Session } from '../session.ts';

type Thresholds = NonNullable<CanaryOptions['thresholds']>;
type Options = Readonly<{ share?: number; stop?: true; force?: true; reason?: string }> & Thresholds;
type Show = (session: Session, view: SwapView) => number;
type Evidence = NonNullable<CanaryView['comparison']>;

const MEASURES: Readonly<Record<Evidence['findings'][number]['measure'], string>> = {
  empty: 'share of empty answers',
  latency: 'median latency in ms',
  score: 'standard score of the best result',
  agreement: 'agreement of vectors and words',
};

export const addCanary = (withScope: (name: string, description: string) => Command, asAction: AsAction, show: Show): void => {
  withScope('canary', 'Let the built generation serve a share of the callers. Without options: show both sides.')
    .option('--share <percent>', 'percent of the callers; also changes a canary that runs', numberWithin(0, 100))
    .option('--stop', 'return the callers to the active generation')
    .option('--empty-share <share>', 'by how much the share of empty answers may be higher (default: 0.05)', numberWithin(0, 1))
    .option('--slowdown <factor>', 'how many times as long an answer may take (default: 1.5)', numberWithin(1, 100))
    .option('--score-drop <share>', 'part of the standard score of the best result that may be lost (default: 0.5)', numberWithin(0, 1))
    .option('--agreement-drop <share>', 'part of the agreement of vectors and words that may be lost (default: 0.5)', numberWithin(0, 1))
    .option('--force', 'although its evaluation found that it is worse; needs --reason')
    .option('--reason <text>', 'why the canary is forced; recorded in the audit trail')
    .action(asAction((session: Session, options: Options, scope: string) => canary(session, options, scope, show)));
};

const canary = async (session: Session, options: Options, scope: string, show: Show): Promise<number> => {
  const { share, stop, force, reason, ...thresholds } = options;
  const { output, signal, connect } = session;
  const { swaps } = connect();
  if (stop && share !== undefined) throw new UsageError('expected --share or --stop, got both');
  if (stop) return show(session, await swaps.stopCanary(scope, { signal }));
  if (share === undefined) {
    if (Object.keys(thresholds).length > 0 || force || reason !== undefined) throw new UsageError('expected --share <percent>');
    const view = await swaps.canary(scope, { signal });
    output.result(view, () => render(output, view));
    return EXIT.ok;
  }
  if ((force === true) !== (reason !== undefined)) throw new UsageError('expected --force and --reason <text> together');
  const given = Object.keys(thresholds).length > 0 ? { thresholds } : {};
  return show(session, await swaps.startCanary(scope, { share, ...given, ...(reason === undefined ? {} : { reason }) }, { signal }));
};

const render = (output: Output, view: CanaryView): void => {
  for (const line of canaryLines(view)) output.line(line);
  const evidence = view.comparison ?? view.ended?.evidence;
  if (!evidence) return;
  output.line();
  const { active, canary: tried } = evidence;
  output.table(
    ['generation', 'queries', 'empty', 'p50 ms', 'p95 ms', 'best score', 'agreement'],
    [
      [`${view.against} active`, ...figures(active)],
      [`${view.generation} canary`, ...figures(tried)],
    ],
  );
};

const figures = ({ queries, empty, latencyP50, latencyP95, score, agreement }: Evidence['active']): readonly (string | number)[] => [
  queries,
  queries === 0 ? '' : `${((100 * empty) / queries).toFixed(1)} %`,
  shown(latencyP50, 1),
  shown(latencyP95, 1),
  shown(score, 2),
  shown(agreement, 2),
];

const shown = (value: number | undefined, digits: number): string => value?.toFixed(digits) ?? '';

/** For the status of a swap, too. */
export const canaryLines = ({ generation, against, share, ended }: NonNullable<SwapView['canary']>): readonly string[] => {
  if (ended === undefined) return [`canary      ${generation} serves ${share} % of the callers, ${against} the others`];
  return [
    `canary      ${generation} served ${share} % of the callers and ended: ${ended.reason}`,
    ...(ended.evidence?.findings ?? []).map(
      ({ measure, active, canary: tried, p }) =>
        `            ${MEASURES[measure]}: ${tried.toFixed(3)} instead of ${active.toFixed(3)} (p ${p.toExponential(1)})`,
    ),
  ];
};
