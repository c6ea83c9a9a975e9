import type { EventView } from '@palimpsest/client';

/** The stream of the golden sets of a scope on the log: as docs/reference/events.md names it. */
export const goldenStream = ({ tenant, scope }: Readonly<{ tenant: string; scope: string }>): string =>
  ['golden_set', ...[tenant, scope].map((part) => encodeURIComponent(part).replaceAll('-', '%2D').replaceAll('%3A', ':'))].join('-');

export const GOLDEN_EVENTS = ['GoldenSetImported', 'GoldenSetRemoved'] as const;

export type Saved = Readonly<{ position: string; version: number; recordedAt: string; actor: string; removed: boolean }>;

/** What happened to a set, newest first, from the events of its scope. */
export const savesOf = (events: readonly EventView[], set: string): readonly Saved[] =>
  events.flatMap(({ type, data, position, recordedAt, actor }) =>
    data?.['set'] === set && typeof data['version'] === 'number'
      ? [{ position, version: data['version'], recordedAt, actor, removed: type === 'GoldenSetRemoved' }]
      : [],
  );
