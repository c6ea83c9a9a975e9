import { Counter, type Registry } from 'prom-client';

/** Sets of read models of earlier moments that were made since the start: as copies of the live ones, or from the log. */
export type PastViewCounts = Readonly<{ copy: number; log: number }>;

type Read = () => PastViewCounts;

/** Read at each scrape, from the source that `watch` sets. */
export const createPastViewInstruments = (registers: Registry[]): Readonly<{ watch: (read: Read | undefined) => void }> => {
  let read: Read | undefined;
  void new Counter({
    name: 'palimpsest_past_views_total',
    help: 'Sets of read models of earlier moments that were made, by what they were made from: a copy of the live ones, or the log',
    labelNames: ['made_from'] as const,
    registers,
    collect() {
      this.reset();
      for (const [made_from, count] of Object.entries(read?.() ?? {})) this.inc({ made_from }, count);
    },
  });
  return { watch: (source) => void (read = source) };
};
