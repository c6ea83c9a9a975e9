import { ProblemError } from '@palimpsest/client';
import type { ReplayCause, ReplayChange, ReplayResult } from '@palimpsest/client';
import { counted } from '../format/format.ts';

/** The tenant does not record queries, or the text was another one: the page asks for it. */
export const asksForQuery = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && error.status === 400 && error.field === 'query';

const ranks = ({ before, after }: Pick<ReplayChange, 'before' | 'after'>, isNow: boolean): string => {
  if (before === undefined) return `${isNow ? 'now ' : ''}rank ${after?.rank}`;
  return after === undefined ? `was rank ${before.rank}` : `rank ${before.rank} → ${after.rank}`;
};

const CHANGES: Readonly<Record<ReplayChange['change'], string>> = { gained: 'Gained', lost: 'Lost', moved: 'Moved' };

/** `Lost: was rank 2`. */
export const changeText = (change: ReplayChange, isNow: boolean): string => `${CHANGES[change.change]}: ${ranks(change, isNow)}`;

const CAUSES: Readonly<Record<ReplayCause['kind'], string>> = {
  indexed: 'Document arrived',
  reindexed: 'Document changed',
  deleted: 'Document deleted',
  reembedded: 'Vector changed',
  copy: 'Passage like it',
  group: 'Passages of its document',
  competitor: 'Other passages',
  statistics: 'Word statistics',
  cutOver: 'Another generation',
  reconfigured: 'Other settings',
  request: 'Another request',
};

export const causeName = ({ kind }: Pick<ReplayCause, 'kind'>): string => CAUSES[kind];

/** What is different, in one line. */
export const comparedText = (
  { changes, unchanged }: Pick<NonNullable<ReplayResult['against']>, 'changes' | 'unchanged'>,
  isNow: boolean,
): string => {
  if (changes.length === 0) return isNow ? 'The same search has the same hits in the same order now.' : 'The same hits in the same order.';
  const number = (kind: ReplayChange['change']): number => changes.filter(({ change }) => change === kind).length;
  const parts = [
    `${number('gained')} gained`,
    `${number('lost')} lost`,
    `${number('moved')} moved`,
    `${counted(unchanged, 'hit')} at the same rank`,
  ];
  return `${parts.join(', ')}.`;
};
