import type { LogCheckResult } from '@palimpsest/client';
import { count, counted } from '../format/format.ts';

export const checkText = ({ intact, records, checkpoints, unsigned, expired, vacuumed, findingCount }: LogCheckResult): string => {
  const result = intact
    ? `${counted(records, 'record')} in ${counted(checkpoints, 'checkpoint')}: none was changed, removed, inserted or reordered after it was signed.`
    : `${counted(findingCount, 'record')} changed, removed, inserted or reordered after signing.`;
  return [
    result,
    ...(unsigned === 0 ? [] : [`${count(unsigned)} not signed yet.`]),
    ...(expired === 0 ? [] : [`${count(expired)} expired.`]),
    ...(vacuumed === 0 ? [] : [`${count(vacuumed)} removed as old history.`]),
  ].join(' ');
};

/** As `palimpsest verify --log` prints it, and takes it as `--known`. */
export const lastCheckpoint = ({ last }: LogCheckResult): string | undefined => last && `${last.number}:${last.digest}`;
