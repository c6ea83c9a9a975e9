import { Counter, Gauge, type Registry } from 'prom-client';
import { KINDS_OF_WORK, type KindOfWork } from '@palimpsest/http/server';
import type { LoadShedderFigures } from '@palimpsest/http/server';

const labelNames = ['work'] as const;

/** Names of version 0.1, kept as aliases for one version. */
const ALIASES = {
  palimpsest_http_queue_active_requests: 'palimpsest_door_active_requests',
  palimpsest_http_queue_waiting_requests: 'palimpsest_door_waiting_requests',
  palimpsest_http_queue_refused_total: 'palimpsest_door_refused_total',
} as const;

type Metric = Readonly<{ name: keyof typeof ALIASES; help: string }>;

/** Requests in progress, queued and refused by the load shedder. Read at each scrape, from the source that `watch` sets. */
export const createHttpQueueInstruments = (registers: Registry[]): Readonly<{ watch: (figures: () => LoadShedderFigures) => void }> => {
  let read: (() => LoadShedderFigures) | undefined;
  const each = (put: (work: KindOfWork, figures: LoadShedderFigures[KindOfWork]) => void): void => {
    const figures = read?.();
    if (figures !== undefined) for (const work of KINDS_OF_WORK) put(work, figures[work]);
  };
  const named = ({ name, help }: Metric) => [
    { name, help },
    { name: ALIASES[name], help: `Deprecated: use ${name}` },
  ];
  const gauge = (metric: Metric, of: (figures: LoadShedderFigures[KindOfWork]) => number): void => {
    for (const one of named(metric))
      new Gauge({
        ...one,
        labelNames,
        registers,
        collect() {
          each((work, figures) => this.set({ work }, of(figures)));
        },
      });
  };
  gauge({ name: 'palimpsest_http_queue_active_requests', help: 'Requests in progress, by kind of work' }, ({ active }) => active);
  gauge(
    { name: 'palimpsest_http_queue_waiting_requests', help: 'Requests waiting in the queue, by kind of work' },
    ({ waiting }) => waiting,
  );
  for (const one of named({
    name: 'palimpsest_http_queue_refused_total',
    help: 'Requests refused with 429 because the queue was full or the wait too long; no other metric counts them',
  }))
    new Counter({
      ...one,
      labelNames,
      registers,
      collect() {
        this.reset();
        each((work, { refused }) => this.inc({ work }, refused));
      },
    });
  return { watch: (figures) => void (read = figures) };
};
