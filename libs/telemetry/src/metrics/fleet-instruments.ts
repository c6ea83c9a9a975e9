import { Gauge, type Registry } from 'prom-client';

/** Number of fleets and of their scopes, by state. */
export type FleetCounts = Readonly<{ fleets: Readonly<Record<string, number>>; scopes: Readonly<Record<string, number>> }>;

/** Fleets that are not over. Read at each scrape, from the source that `watch` sets. */
export const createFleetInstruments = (registers: Registry[]): Readonly<{ watch: (read: (() => FleetCounts) | undefined) => void }> => {
  let read: (() => FleetCounts) | undefined;
  const gauge = (name: string, help: string, of: (counts: FleetCounts) => Readonly<Record<string, number>>): void =>
    void new Gauge({
      name,
      help,
      labelNames: ['state'] as const,
      registers,
      collect() {
        this.reset();
        for (const [state, count] of Object.entries(read ? of(read()) : {})) this.set({ state }, count);
      },
    });
  gauge('palimpsest_fleets', 'Fleets that are not over, by state; the same from every process that reports it', ({ fleets }) => fleets);
  gauge(
    'palimpsest_fleet_scopes',
    'Scopes of fleets that are not over, by state; the same from every process that reports it',
    ({ scopes }) => scopes,
  );
  return { watch: (source) => void (read = source) };
};
