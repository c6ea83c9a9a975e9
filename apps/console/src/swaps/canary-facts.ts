import type { CanaryView, SwapView } from '@palimpsest/client';

type Canary = NonNullable<SwapView['canary']>;
type Evidence = NonNullable<CanaryView['comparison']>;
type Finding = Evidence['findings'][number];

const MEASURES: Readonly<Record<Finding['measure'], string>> = {
  empty: 'Share of empty answers',
  latency: 'Median latency in ms',
  score: 'Standard score of the best result',
  agreement: 'Agreement of vectors and words',
};

const ENDS: Readonly<Record<NonNullable<Canary['ended']>['reason'], string>> = {
  stopped: 'stopped by a person',
  regression: 'the new generation served its callers worse, so they were returned',
  'cut-over': 'cut over',
  cancelled: 'the generation was deleted',
  'rolled-back': 'the generation that it was compared with is no longer active',
};

/** The generation that a canary can be started for: built, and the one that a cut-over would activate. */
export const canaryCandidate = ({ generations }: Pick<SwapView, 'generations'>): string | undefined => {
  const active = generations.findIndex(({ status }) => status === 'active');
  const later = generations.slice(active + 1).findLast(({ status }) => status !== 'retired');
  return later?.status === 'ready' || later?.status === 'standby' ? later.generation : undefined;
};

export const isRunning = (canary: SwapView['canary']): boolean => canary !== undefined && canary.ended === undefined;

export const summaryOf = ({ generation, against, share, ended }: Canary): string =>
  ended === undefined
    ? `${generation} serves ${share} % of the callers, ${against} the others.`
    : `${generation} served ${share} % of the callers until it ended: ${ENDS[ended.reason]}.`;

export const findingOf = ({ measure, canary, active }: Finding): string =>
  `${MEASURES[measure]}: ${canary.toFixed(3)} instead of ${active.toFixed(3)}`;

/** One row per figure: its name, the value of the active generation, and that of the canary. */
export const rowsOf = ({ active, canary }: Pick<Evidence, 'active' | 'canary'>): readonly (readonly [string, string, string])[] => [
  ['Queries', String(active.queries), String(canary.queries)],
  ['Without a result', shareOf(active), shareOf(canary)],
  ['Latency p50', ms(active.latencyP50), ms(canary.latencyP50)],
  ['Latency p95', ms(active.latencyP95), ms(canary.latencyP95)],
  [MEASURES.score, number(active.score), number(canary.score)],
  [MEASURES.agreement, number(active.agreement), number(canary.agreement)],
];

const shareOf = ({ queries, empty }: Evidence['active']): string => (queries === 0 ? '–' : `${((100 * empty) / queries).toFixed(1)} %`);
const ms = (value: number | undefined): string => (value === undefined ? '–' : `${value.toFixed(1)} ms`);
const number = (value: number | undefined): string => value?.toFixed(2) ?? '–';
