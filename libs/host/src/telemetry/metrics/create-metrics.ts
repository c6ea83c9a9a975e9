import { collectDefaultMetrics, Registry } from 'prom-client';
import type { DoorFigures } from '../../http/overload/doors.ts';
import { VERSION } from '../../version.ts';
import { ageOf, type Observer } from '../observer.ts';
import { CaughtUp } from '../caught-up.ts';
import { createInstruments } from './instruments.ts';
import { measuredEmbedding, measuredEventLog, measuredMessageBus } from './measured-ports.ts';
import { measuredRequests } from './measured-requests.ts';
import { scrapeOf, type MetricSources, type Scrape } from './scrape.ts';

export type MetricsOptions = Readonly<{
  /** A label of every sample: which kind of process this is. */
  service: string;
}>;

export type Metrics = Observer &
  Readonly<{
    registry: Registry;
    contentType: string;
    /** Names what a scrape asks from now on. */
    watch: (sources: MetricSources) => void;
    /** Names where the figures of the door come from. */
    doors: (figures: () => DoorFigures) => void;
    /** Every metric in the text format of Prometheus. Asked by several at once, or again within a second, it looks once. */
    text: () => Promise<string>;
  }>;

/** Whoever may ask for the metrics may ask as often as they like: the figures are read this often at most, in milliseconds. */
const FRESH_MS = 1_000;

/** Under way until it is made: then it is fresh for a while. */
type Answer = { madeAt: number; readonly text: Promise<string> };

const answer = (scrape: Scrape, registry: Registry): Answer => {
  const made = async (): Promise<string> => {
    try {
      await scrape();
      return await registry.metrics();
    } finally {
      answered.madeAt = performance.now();
    }
  };
  const answered: Answer = { madeAt: Infinity, text: made() };
  return answered;
};

/** The metrics of this process, in a registry of their own. */
export const createMetrics = ({ service }: MetricsOptions): Metrics => {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const instruments = createInstruments(registry);
  instruments.build.set({ version: VERSION }, 1);
  const caughtUp = new CaughtUp();
  let scrape: Scrape = async () => undefined;
  let latest: Answer | undefined;
  return {
    registry,
    contentType: registry.contentType,
    watch: (sources) => {
      scrape = scrapeOf(sources, instruments, caughtUp);
      latest = undefined;
    },
    text: () => {
      if (latest === undefined || performance.now() - latest.madeAt > FRESH_MS) latest = answer(scrape, registry);
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
      const now = Date.now();
      for (const age of facts.flatMap((fact) => ageOf(fact, now) ?? [])) instruments.projectionDelay.observe(age / 1_000);
    },
    doors: (figures) => instruments.doors.watch(figures),
    requests: (server) => {
      measuredRequests(server, instruments);
    },
  };
};
