import type { LookedBack } from '@palimpsest/client';
import { Option } from 'commander';
import type { Output } from '../render/output.ts';

export type AsOfOption = Readonly<{ asOf?: string }>;

/** The option of every command that can show the past. The server checks the moment. */
export const asOfOption = (): Option =>
  new Option('--as-of <moment>', 'as it was at a position, or at a time with its offset from UTC, like 2026-11-20T09:30:00Z');

/** Says which moment the output shows, and what did not exist yet. */
export const noteMoment = (output: Output, asOf: LookedBack | undefined): void => {
  if (asOf === undefined) return;
  output.note(`as of position ${asOf.position}${asOf.time === undefined ? '' : `, the last event until ${asOf.time}`}`);
  for (const { detail } of asOf.notYet) output.note(detail);
};
