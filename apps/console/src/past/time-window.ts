import { momentText } from '../format/format.ts';
import { isPosition } from './as-of.ts';

/** Two moments as entered, each a position or a time; empty: no limit. Both are exclusive. */
export type TimeWindow = Readonly<{ after: string; before: string }>;

export const ANY_TIME: TimeWindow = { after: '', before: '' };

export const isLimited = ({ after, before }: TimeWindow): boolean => after !== '' || before !== '';

/** As a request has it: what is empty is not sent. */
export const timesIn = ({ after, before }: TimeWindow): Partial<TimeWindow> => ({
  ...(after === '' ? {} : { after }),
  ...(before === '' ? {} : { before }),
});

/** Why nothing can be in the window. A position and a time cannot be compared here. */
export const windowProblem = ({ after, before }: TimeWindow): string | undefined =>
  after !== '' && before !== '' && isPosition(after) === isPosition(before) && orderOf(after) >= orderOf(before)
    ? '“After” must be earlier than “Before”.'
    : undefined;

const orderOf = (moment: string): number | bigint => (isPosition(moment) ? BigInt(moment) : Date.parse(moment));

const nameOf = (moment: string): string => (isPosition(moment) ? `position ${moment}` : momentText(moment));

/** `after 20 Nov 2026, 09:30:15; before position 4711`. */
export const windowText = ({ after = '', before = '' }: Readonly<{ after?: string; before?: string }>): string =>
  [...(after === '' ? [] : [`after ${nameOf(after)}`]), ...(before === '' ? [] : [`before ${nameOf(before)}`])].join('; ');
