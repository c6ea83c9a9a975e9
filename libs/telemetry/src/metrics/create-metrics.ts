import { collectDefaultMetrics, Registry } from 'prom-client';
import { SYSTEM } from '@palimpsest/foundation';
import { VERSION } from '@palimpsest/foundation/version';
import type { LoadShedderFigures } from '@palimpsest/http/server';
import type { ObserveRetrieval } from '@palimpsest/query';
import { ageOf, type Observer } from '../observer.ts';
import { CaughtUp } from '../caught-up.ts';
import { createInstruments } from './instruments.ts';
import { measuredEmbedding, measuredEventLog, measuredMessageBus } from './measured-ports.ts';
import { measuredRequests } from './measured-requests.ts';
import { scrapeOf, type MetricSources, type Scrape } from './scrape.ts';

export type MetricsOptions = Readonly<{
  /** The kind of process, a label of every sample. */
  service: string;
  /** Clock of the cached response, in milliseconds. */
  now?: () => number;
}>;

export type Metrics = Observer &
  Readonly<{
    registry: Registry;
    contentType: string;
    /** Sets the sources that a scrape reads. */
    watch: (sources: MetricSources) => void;
    retrieval: ObserveRetrieval;
    /** Sets the source of the figures of the load shedder. */
    httpQueue: (figures: () => LoadShedderFigures) => void;
    /** Every metric in the text format of Prometheus. Concurrent calls, and calls within one second, share one reading. */
    text: () => Promise<string>;
  }>;

/** Minimum time between two readings of the sources, in milliseconds, because the number of requests for metrics is not limited. */
const FRESH_MS = 1_000;

/** A response that is being created (`createdAt` is Infinity), or was created at `createdAt`. */
type CachedText = { createdAt: number; readonly text: Promise<string> };

const renderText = (scrape: Scrape, registry: Registry, now: () => number): CachedText => {
  const render = async (): Promise<string> => {
    try {
      await scrape();
      return await registry.metrics();
    } finally {
      cached.createdAt = now();
    }
  };
  const cached: CachedText = { createdAt: Infinity, text: render() };
  return cached;
};

/** The metrics of this process, in their own registry. */
export const createMetrics = ({ service, now: clock = () => SYSTEM.clock.elapsed() }: MetricsOptions): Metrics => {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const instruments = createInstruments(registry);
  instruments.build.set({ version: VERSION }, 1);
  const caughtUp = new CaughtUp();
  let scrape: Scrape = async () => undefined;
  let latest: CachedText | undefined;
  return {
    registry,
    contentType: registry.contentType,
    watch: (sources) => {
      scrape = scrapeOf(sources, instruments, caughtUp);
      instruments.fleets.watch(sources.fleets);
      instruments.pastViews.watch(sources.pastViews);
      instruments.rebuilds.watch(sources.rebuild);
      instruments.verifications.watch(sources.verifications);
      instruments.swaps.watch(sources.swaps);
      latest = undefined;
    },
    text: () => {
      if (latest === undefined || clock() - latest.createdAt > FRESH_MS) latest = renderText(scrape, registry, clock);
      return latest.text;
    },
    eventLog: (log) => measuredEventLog(log, instruments),
    messageBus: (bus) => measuredMessageBus(bus, instruments),
    embedding: (provider) => measuredEmbedding(provider, instruments),
    projected: ({ facts, caughtUp: all, ms }) => {
      if (all) caughtUp.now();
      if (facts.length === 0) return;
      instruments.projectedEvents.inc(facts.length);
      instruments.projectionDuration.observe(ms / 1_000);
      const now = SYSTEM.clock.now();
      for (const age of facts.flatMap((fact) => ageOf(fact, now) ?? [])) instruments.projectionDelay.observe(age / 1_000);
    },
    retrieval: instruments.searches.observe,
    httpQueue: (figures) => instruments.httpQueue.watch(figures),
    requests: (server) => {
      measuredRequests(server, instruments);
    },
  };
};
