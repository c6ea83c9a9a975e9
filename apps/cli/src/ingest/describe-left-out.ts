import { LEFT_OUT_BECAUSE } from '@palimpsest/client';
import type { LeftOut, LeftOutReason } from '@palimpsest/client';

/** How many paths are listed. Of the others, only the number is printed. */
const NAMED = 20;

const HINTS: Readonly<Partial<Record<LeftOutReason, string>>> = {
  hidden: ' (--include-hidden sends it)',
  secret: ' (--include-secrets sends it)',
};

/** One line for each path: why it was left out, and how to send it anyway. */
export const describeLeftOut = (leftOut: readonly LeftOut[]): string[] => [
  ...leftOut.slice(0, NAMED).map(({ path, reason }) => `${path}: ${LEFT_OUT_BECAUSE[reason]}${HINTS[reason] ?? ''}`),
  ...(leftOut.length > NAMED ? [`and ${leftOut.length - NAMED} more`] : []),
];
