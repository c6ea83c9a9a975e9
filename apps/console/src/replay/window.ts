import type { ReplayedSearches } from '@palimpsest/client';
import { counted } from '../format/format.ts';
import { timesIn, type TimeWindow } from '../past/time-window.ts';
import { causeName } from './replay-facts.ts';

/** Which past searches are replayed, as entered; empty: all. All of it is in the address. */
export type ReplayWindow = TimeWindow & Readonly<{ scope: string; kb: string; max: string }>;

export const SIZES = ['20', '100', '500', '2000'] as const;

export const windowOf = (parameters: URLSearchParams): ReplayWindow => {
  const given = (name: keyof ReplayWindow): string => parameters.get(name)?.trim() ?? '';
  return {
    ...{ after: given('after'), before: given('before'), scope: given('scope'), kb: given('kb') },
    max: SIZES.find((size) => size === given('max')) ?? SIZES[0],
  };
};

/** Its part of an address. */
export const parametersOf = (window: ReplayWindow): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(window).filter(([, value]) => value !== ''));

/** As a request has it. */
export const requestOf = ({ scope, kb, max, ...times }: ReplayWindow) => ({
  ...timesIn(times),
  ...(scope === '' ? {} : { scope }),
  ...(kb === '' ? {} : { knowledgeBase: kb }),
  max: Number(max),
});

const BECAUSE: Readonly<Record<ReplayedSearches['skipped'][number]['reason'], string>> = {
  query: 'the text of the query is not recorded',
  refused: 'a model of the comparison does not accept the text',
  model: 'the model is not configured here',
  erased: 'the scope was erased',
  removed: 'the history of its moment was removed from the log',
  unreadable: 'the record does not open',
  old: 'an early version recorded it',
};

const percent = (share: number): string => `${Math.round(100 * share)} %`;

/** The totals over all searches, in words. */
export const factsOf = ({ summary }: Pick<ReplayedSearches, 'summary'>): readonly (readonly [string, string])[] => {
  const { replayed, identical, changed, gained, lost, moved, overlap, rbo, causes, skipped } = summary;
  return [
    ['Replayed', `${counted(replayed, 'search', 'searches')}, ${changed} with other results or another order`],
    ...(replayed === 0
      ? []
      : ([
          ['Exactly repeated', `${identical} of ${replayed}`],
          ['Changes', `${gained} gained, ${lost} lost, ${moved} moved`],
        ] as const)),
    ...(overlap === undefined || rbo === undefined
      ? []
      : ([['Agreement', `${percent(overlap)} of the results are in both; rank-biased overlap ${rbo.toFixed(3)}`]] as const)),
    ...(causes.length === 0
      ? []
      : ([['Causes', causes.map(({ kind, changes }) => `${causeName({ kind })}: ${changes}`).join(', ')]] as const)),
    ...skipped.map(({ reason, count }) => ['Not replayed', `${count}: ${BECAUSE[reason]}`] as const),
  ];
};
