import { TOPICS } from '@palimpsest/contracts';
import type { Message } from '@palimpsest/knowledge';
import { CaughtUp } from '../caught-up.ts';
import { delegating } from '../delegating.ts';
import type { MetricSources } from '../metrics/scrape.ts';
import { ageOf, type Observer } from '../observer.ts';
import type { Bucket } from './bucket.ts';
import { BucketRing } from './bucket-ring.ts';
import { GaugeReader } from './gauge-reader.ts';
import type { LatencyView } from './latency.ts';
import { ragHealth, type RagHealth } from './rag-health.ts';
import { WriteState } from './write-state.ts';

/** The sliding window of `health`, second by second, the one that is being filled besides; and 15 minutes for the charts. */
const WINDOW_SECONDS = 60;
const SERIES_SECONDS = 10;
const SERIES_BUCKETS = 90;
const LOOK_EVERY_MS = 5_000;

/** See `SeriesBucket` of the typed client. */
export type SeriesBucket = Readonly<{
  at: string; documentsIndexed: number; chunksIndexed: number; searches: LatencyView; embedding: LatencyView; flush: LatencyView;
  hit: number; miss: number; empty: number; queueDepth?: number; lagPositions?: number; lagMs?: number;
}>;

export type Figures = Observer &
  Readonly<{
    /** Names what is looked at every few seconds from now on. */
    watch: (sources: MetricSources) => void;
    health: () => Promise<RagHealth>;
    /** Whether this process cannot store anything at the moment. */
    writesFail: () => Promise<boolean>;
    /** How often a model was asked since the start; what a cache knew does not count. */
    embeddingCalls: () => number;
    series: () => Readonly<{ bucketSeconds: number; buckets: readonly SeriesBucket[] }>;
    stop: () => void;
  }>;

/** What the console and `/health/rag` show: kept in memory only, for 15 minutes, whatever becomes of it. `now`: Unix ms. */
export const createFigures = (now: () => number = Date.now): Figures => {
  const window = new BucketRing(1_000, WINDOW_SECONDS + 1, now);
  const series = new BucketRing(SERIES_SECONDS * 1_000, SERIES_BUCKETS, now);
  const caughtUp = new CaughtUp();
  const note = (what: (bucket: Bucket) => void): void => [window, series].forEach((ring) => what(ring.current()));
  let sources: MetricSources = {};
  let reader = new GaugeReader(sources, caughtUp);
  let writes = new WriteState(undefined);
  let embeddingCalls = 0;
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    const { gauges } = await reader.read();
    series.current().gauges = gauges;
  };
  return {
    ...observing(note, now, caughtUp, () => void embeddingCalls++),
    embeddingCalls: () => embeddingCalls,
    watch: (watched) => {
      sources = watched;
      writes = new WriteState(watched.checkWrites);
      reader = new GaugeReader(sources, caughtUp);
      timer ??= setInterval(() => void look(), LOOK_EVERY_MS).unref();
    },
    health: async () => ragHealth(window.all(), WINDOW_SECONDS, await reader.read(), { ...sources, writesFail: await writes.failing() }),
    writesFail: () => writes.failing(),
    series: () => ({ bucketSeconds: SERIES_SECONDS, buckets: series.all().map(viewOf) }),
    stop: () => {
      clearInterval(timer);
      timer = undefined;
    },
  };
};

const viewOf = (bucket: Bucket): SeriesBucket => {
  const { at, documentsIndexed, chunksIndexed, searches, embedding, flush, hit, miss, empty, gauges: { held: _held, ...gauges } } = bucket;
  return {
    at: new Date(at).toISOString(), documentsIndexed, chunksIndexed, searches: searches.view(), embedding: embedding.view(), flush: flush.view(), hit, miss, empty, ...gauges,
  };
};

type Note = (what: (bucket: Bucket) => void) => void;

const observing = (note: Note, now: () => number, caughtUp: CaughtUp, onModelCall: () => void): Observer => ({
  eventLog: (log) =>
    delegating(log, {
      append: async (stream, events, expected) => {
        const began = performance.now();
        const result = await log.append(stream, events, expected);
        // What was refused or was there already did not have to come to the disk.
        if (result.outcome === 'appended' && !result.repeated) note(({ flush }) => flush.add(performance.now() - began));
        return result;
      },
    }),
  messageBus: (bus) =>
    delegating(bus, {
      publish: (topic, messages) => {
        if (topic === TOPICS.retrieval) for (const message of messages) noteRetrieval(note, message);
        return bus.publish(topic, messages);
      },
    }),
  embedding: (provider) =>
    delegating(provider, {
      embed: async (texts, kind, signal) => {
        const began = performance.now();
        onModelCall();
        try {
          const embeddings = await provider.embed(texts, kind, signal);
          note(({ embedding }) => embedding.add(performance.now() - began));
          return embeddings;
        } catch (error) {
          if (signal?.aborted !== true) note((bucket) => void bucket.embeddingFailures++);
          throw error;
        }
      },
    }),
  projected: ({ facts, caughtUp: all }) => {
    if (all) caughtUp.now();
    for (const fact of facts) {
      const { event } = fact;
      if (event.type !== 'DocumentIndexed' || ageOf(fact, now()) === undefined) continue;
      note((bucket) => {
        bucket.documentsIndexed++;
        bucket.chunksIndexed += event.data.written.length;
      });
    }
  },
  requests: () => undefined,
});

type Trace = Readonly<{ type?: unknown; data?: Readonly<{ latencyMs?: unknown; hits?: unknown }> }>;

/** Traces tell how a search went without its words; they go over the bus, whoever records them. */
const noteRetrieval = (note: Note, { body }: Message): void => {
  const { type, data } = JSON.parse(body) as Trace;
  const { latencyMs, hits } = data ?? {};
  const found = Array.isArray(hits) ? hits.length : 0;
  note((bucket) => {
    if (typeof latencyMs === 'number') bucket.searches.add(latencyMs);
    if (found === 0) bucket.empty++;
    else if (type === 'KnowledgeRetrieved') bucket.hit++;
    else bucket.miss++;
  });
};
