import type { LookedBack } from '@palimpsest/client';
import { momentText } from '../format/format.ts';
import { isPosition } from './as-of.ts';

type Known = Readonly<{
  asOf: string;
  /** Of a response that shows the moment. */
  shown?: Pick<LookedBack, 'position'> | undefined;
  /** When the event at the position was recorded, if the caller may see it. */
  recordedAt?: string | undefined;
}>;

/** `As of 20 Nov 2026, 09:30:15 (position 1234)`, or as much of it as is known. */
export const momentLine = ({ asOf, shown, recordedAt }: Known): string => {
  if (isPosition(asOf)) return recordedAt === undefined ? `As of position ${asOf}` : `As of ${momentText(recordedAt)} (position ${asOf})`;
  return shown === undefined ? `As of ${momentText(asOf)}` : `As of ${momentText(asOf)} (position ${shown.position})`;
};

/** The server’s clauses begin with a small letter and have no full stop. */
export const asSentence = (detail: string): string =>
  `${detail.charAt(0).toUpperCase()}${detail.slice(1)}${/[.!?]$/.test(detail) ? '' : '.'}`;
