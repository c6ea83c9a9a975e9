import type { Output } from './output.ts';

type Shown = Readonly<{ shown: number; what: string; how?: string }> & (Readonly<{ total: number }> | Readonly<{ more: boolean }>);

/** Notes on stderr that a list is incomplete: the total, if it is known, and how to get the rest. */
export const noteMore = (output: Output, { shown, what, how = 'use --limit to see more', ...rest }: Shown): void => {
  if ('total' in rest && rest.total > shown) output.note(`${shown} of ${rest.total} ${what}; ${how}`);
  if ('more' in rest && rest.more) output.note(`the first ${shown} ${what}, more exist; ${how}`);
};
