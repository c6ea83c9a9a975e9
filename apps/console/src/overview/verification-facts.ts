import type { RepairRecord, VerificationHistory, VerificationRecord } from '@palimpsest/client';
import { counted } from '../format/format.ts';

/** Of the last verification that was completed. `none`: there was none since the process started. */
export type VerificationState = 'none' | 'ok' | 'differs' | 'running';

export const lastCompleted = ({ verifications }: Pick<VerificationHistory, 'verifications'>): VerificationRecord | undefined =>
  verifications.find(({ reason }) => reason === undefined);

export const stateOf = (history: VerificationHistory): VerificationState => {
  if (history.running) return 'running';
  const last = lastCompleted(history);
  if (last === undefined) return 'none';
  return last.clean ? 'ok' : 'differs';
};

/** Only differences can be repaired, and not damage of the log, keys or uploads. */
export const isRepairable = (history: VerificationHistory): boolean =>
  !history.running && (lastCompleted(history)?.differences ?? []).length > 0;

export const resultOf = ({ reason, clean, differences = [], damage = 0 }: VerificationRecord): string => {
  if (reason !== undefined) return `not completed: ${reason}`;
  if (clean) return 'no differences';
  return [
    ...differences.map(({ store, kind, count }) => `${counted(count, 'entry', 'entries')} ${kind} in ${NAMES[store]}`),
    ...(damage === 0 ? [] : [`${counted(damage, 'finding')} about the log, keys or uploads`]),
  ].join(', ');
};

export const sizeOf = ({ chunks, full }: VerificationRecord): string =>
  chunks === undefined ? '' : `${counted(chunks, 'chunk')}, ${full ? 'all of the log' : 'newer events of the log'}`;

export const repairText = ({ total, remaining }: RepairRecord): string =>
  `${counted(total, 'difference')} repaired${remaining === 0 ? '' : `, ${counted(remaining, 'difference')} left`}`;

export const scheduleText = ({ everyHours, repair }: VerificationHistory): string =>
  everyHours === 0
    ? 'Not scheduled.'
    : `Every ${counted(everyHours, 'hour')}; differences are ${repair === 'auto' ? 'repaired at once' : 'reported, and repaired on request'}.`;

const NAMES: Readonly<Record<'vectors' | 'lexical' | 'catalog', string>> = {
  vectors: 'the vectors',
  lexical: 'the words',
  catalog: 'the catalog',
};
