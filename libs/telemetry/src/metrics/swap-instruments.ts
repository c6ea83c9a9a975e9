import { Counter, Gauge, type Registry } from 'prom-client';

/** Figures of all swaps of the installation; counts since the start of the log. `share`: of the time, what this process may re-embed, 0 to 1. */
export type SwapCounts = Readonly<{
  states: Readonly<Record<string, number>>;
  ranges: Readonly<Record<string, number>>;
  evaluations: Readonly<Record<string, number>>;
  chunks: number;
  rejected: number;
  tokens: number;
  cost: number;
  failures: number;
  stalledSeconds: number;
  share: number;
}>;

type Metric = Readonly<{ name: string; help: string }>;

/** Metrics of swaps, read at each scrape from the source that `watch` sets. Without a source, there are none. */
export const createSwapInstruments = (registers: Registry[]): Readonly<{ watch: (read: (() => SwapCounts) | undefined) => void }> => {
  let read: (() => SwapCounts) | undefined;
  const gauge = (metric: Metric, of: (counts: SwapCounts) => number): void =>
    void new Gauge({
      ...metric,
      registers,
      collect() {
        if (read) this.set(of(read()));
        else this.remove();
      },
    });
  const counter = (metric: Metric, of: (counts: SwapCounts) => number): void =>
    void new Counter({
      ...metric,
      registers,
      collect() {
        this.reset();
        if (read) this.inc(of(read()));
        else this.remove();
      },
    });
  const byState = (metric: Metric, of: (counts: SwapCounts) => Readonly<Record<string, number>>): void =>
    void new Gauge({
      ...metric,
      labelNames: ['state'] as const,
      registers,
      collect() {
        this.reset();
        for (const [state, number] of Object.entries(read ? of(read()) : {})) this.set({ state }, number);
      },
    });
  byState({ name: 'palimpsest_swaps', help: 'Scopes that are moved to another model, by the state of their swap' }, ({ states }) => states);
  byState(
    { name: 'palimpsest_swap_ranges', help: 'Ranges of documents of the swaps that are not built yet, by state' },
    ({ ranges }) => ranges,
  );
  gauge(
    {
      name: 'palimpsest_swap_stalled_seconds',
      help: 'Time since the last progress of the swap that is being built and has made none for longest; 0 if none is being built',
    },
    ({ stalledSeconds }) => stalledSeconds,
  );
  gauge(
    {
      name: 'palimpsest_reembedding_share_ratio',
      help: 'Share of the time that this process may use to re-embed; below 1 if searches became slower, documents pile up, or a setting limits it',
    },
    ({ share }) => share,
  );
  gauge(
    {
      name: 'palimpsest_swap_cost_dollars',
      help: 'Price of the tokens of palimpsest_swap_tokens_total, at the current prices of the models that have one',
    },
    ({ cost }) => cost,
  );
  counter(
    { name: 'palimpsest_swap_chunks_total', help: 'Chunks in the ranges that swaps have embedded, since the start of the log' },
    ({ chunks }) => chunks,
  );
  counter(
    {
      name: 'palimpsest_swap_rejected_chunks_total',
      help: 'Chunks of palimpsest_swap_chunks_total that the model rejected; only lexical search finds them',
    },
    ({ rejected }) => rejected,
  );
  counter(
    { name: 'palimpsest_swap_tokens_total', help: 'Tokens that models read for swaps, since the start of the log' },
    ({ tokens }) => tokens,
  );
  counter(
    {
      name: 'palimpsest_swap_failures_total',
      help: 'Swaps that the platform paused because their model failed, since the start of the log',
    },
    ({ failures }) => failures,
  );
  void new Counter({
    name: 'palimpsest_swap_evaluations_total',
    help: 'Evaluations of generations, by verdict, since the start of the log',
    labelNames: ['verdict'] as const,
    registers,
    collect() {
      this.reset();
      for (const [verdict, number] of Object.entries(read?.().evaluations ?? {})) this.inc({ verdict }, number);
    },
  });
  return { watch: (source) => void (read = source) };
};
