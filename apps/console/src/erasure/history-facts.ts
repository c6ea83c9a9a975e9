import type { HistoryStatus } from '@palimpsest/client';
import { counted } from '../format/format.ts';

type Removed = Pick<NonNullable<HistoryStatus['last']>, 'records' | 'documents' | 'uploads' | 'left' | 'knowledgeBase'>;

/** What the last removal did, in words. */
export const removedText = ({ records, documents, uploads, left, knowledgeBase }: Removed): string =>
  [
    `${counted(records, 'record')} of ${counted(documents, 'document')} and ${counted(uploads, 'file')} removed${ofBase(knowledgeBase)}.`,
    ...(left === 0 ? [] : [`${counted(left, 'document')} left: being processed then, and removed the next time.`]),
  ].join(' ');

const ofBase = (knowledgeBase: string | undefined): string => (knowledgeBase === undefined ? '' : ` from ${knowledgeBase}`);

/** What is removed, as a request says it: everything that is older. */
export const olderText = (days: number): string => (days === 0 ? 'until now' : `more than ${counted(days, 'day')} ago`);
