import { Gauge, type Registry } from 'prom-client';

/** A rebuild of the read models of this process: the one that runs, otherwise the last one since its start. `positions`: of the log. */
export type RebuildFigures = Readonly<{
  state: 'running' | 'paused' | 'complete' | 'cancelled' | 'failed';
  positions: Readonly<{ done: number; total: number }>;
  eventsPerSecond?: number;
  remainingSeconds?: number;
}>;

const STATES = ['running', 'paused', 'complete', 'cancelled', 'failed'] as const;

type Read = () => RebuildFigures | undefined;

/** Metrics of rebuilds, read at each scrape from the source that `watch` sets. Before the first rebuild, there are none. */
export const createRebuildInstruments = (registers: Registry[]): Readonly<{ watch: (read: Read | undefined) => void }> => {
  let read: Read | undefined;
  void new Gauge({
    name: 'palimpsest_rebuilds',
    help: 'State of the rebuild of the read models of this process, or of its last one: 1 for the state, 0 for the others',
    labelNames: ['state'] as const,
    registers,
    collect() {
      this.reset();
      const rebuild = read?.();
      if (rebuild) for (const state of STATES) this.set({ state }, rebuild.state === state ? 1 : 0);
    },
  });
  const gauge = (name: string, help: string, of: (rebuild: RebuildFigures) => number | undefined): void =>
    void new Gauge({
      name,
      help,
      registers,
      collect() {
        const rebuild = read?.();
        const value = rebuild && of(rebuild);
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  gauge('palimpsest_rebuild_done_ratio', 'Share of the log that the rebuild has projected, 0 to 1', ({ positions: { done, total } }) =>
    total === 0 ? 1 : Math.min(1, done / total),
  );
  gauge(
    'palimpsest_rebuild_events_per_second',
    'Events that the rebuild projects in a second, without its pauses',
    ({ eventsPerSecond }) => eventsPerSecond,
  );
  gauge(
    'palimpsest_rebuild_remaining_seconds',
    'Time until the rebuild has projected the log, at its rate; missing when it has ended',
    ({ remainingSeconds }) => remainingSeconds,
  );
  return { watch: (source) => void (read = source) };
};
