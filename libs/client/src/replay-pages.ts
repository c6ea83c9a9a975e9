import type { ComparedRetrieval, ReplayedWindow } from '@palimpsest/contracts/http';

type Summary = ReplayedWindow['summary'];

/** The searches of several pages with their totals, those that changed most first. `isComplete`: there were no more in the window. */
export type ReplayedSearches = Omit<ReplayedWindow, 'next'> & Readonly<{ isComplete: boolean }>;

/** Adds up the pages of a window. */
export const joined = (pages: readonly ReplayedWindow[]): ReplayedSearches => {
  const retrievals: readonly ComparedRetrieval[] = pages.flatMap((page) => page.retrievals).toSorted((a, b) => a.rbo - b.rbo);
  const summaries = pages.map(({ summary }) => summary);
  const sum = (of: (summary: Summary) => number): number => summaries.reduce((all, summary) => all + of(summary), 0);
  const replayed = sum((summary) => summary.replayed);
  const mean = (of: (summary: Summary) => number | undefined): number => sum((summary) => (of(summary) ?? 0) * summary.replayed) / replayed;
  const causes = totals(summaries.flatMap((summary) => summary.causes.map(({ kind, changes }) => [kind, changes] as const)));
  const skipped = totals(summaries.flatMap((summary) => summary.skipped.map(({ reason, count }) => [reason, count] as const)));
  return {
    summary: {
      replayed,
      ...{ identical: sum(({ identical }) => identical), changed: sum(({ changed }) => changed) },
      ...{ gained: sum(({ gained }) => gained), lost: sum(({ lost }) => lost), moved: sum(({ moved }) => moved) },
      ...(replayed === 0 ? {} : { overlap: mean(({ overlap }) => overlap), rbo: mean(({ rbo }) => rbo) }),
      causes: causes.map(([kind, changes]) => ({ kind, changes })),
      skipped: skipped.map(([reason, count]) => ({ reason, count })),
    },
    retrievals,
    skipped: pages.flatMap((page) => page.skipped),
    isComplete: pages.at(-1)?.next === undefined,
  };
};

/** The largest first. */
const totals = <Key>(counts: readonly (readonly [Key, number])[]): readonly (readonly [Key, number])[] => {
  const all = new Map<Key, number>();
  for (const [key, count] of counts) all.set(key, (all.get(key) ?? 0) + count);
  return [...all].sort(([, a], [, b]) => b - a);
};
