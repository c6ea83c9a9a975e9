import { LEFT_OUT_BECAUSE } from '@palimpsest/client';
import type { LeftOut, LeftOutReason } from '@palimpsest/client';

/** How many are named. Of the others, only the number is given. */
const NAMED = 20;

const BUT: Readonly<Partial<Record<LeftOutReason, string>>> = { hidden: ' (--include-hidden sends it)', secret: ' (--include-secrets sends it)' };

/** One line for each: its path, why it was left out, and how it can be sent all the same. */
export const describeLeftOut = (leftOut: readonly LeftOut[]): string[] => [
  ...leftOut.slice(0, NAMED).map(({ path, reason }) => `${path}: ${LEFT_OUT_BECAUSE[reason]}${BUT[reason] ?? ''}`),
  ...(leftOut.length > NAMED ? [`and ${leftOut.length - NAMED} more`] : []),
];
