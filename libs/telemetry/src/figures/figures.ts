import { TOPICS } from '@palimpsest/contracts';
import { SYSTEM, type Cancel } from '@palimpsest/foundation';
import type { Message } from '@palimpsest/knowledge/ports';
import type { TenantId } from '@palimpsest/knowledge/values';
import { CaughtUp } from '../caught-up.ts';
import { delegating } from '../delegating.ts';
import type { MetricSources } from '../metrics/scrape.ts';
import { ageOf, type Observer } from '../observer.ts';
import type { Bucket } from './bucket.ts';
import { GaugeReader } from './gauge-reader.ts';
import type { LatencyView } from './latency.ts';
import { FigureRings, SERIES_SECONDS, TenantRings, WINDOW_SECONDS } from './figure-rings.ts';
import { ragHealth, tenantHealth, type RagHealth, type TenantHealth } from './rag-health.ts';
import { WriteState } from './write-state.ts';

const SAMPLE_INTERVAL_MS = 5_000;

/** See `SeriesBucket` of the typed client. */
export type SeriesBucket = TenantBucket &
  Readonly<{ embedding: LatencyView; flush: LatencyView; queueDepth?: number; lagPositions?: number; lagMs?: number }>;

/** The part of a bucket that a tenant may see. */
export type TenantBucket = Readonly<{
  at: string;
  documentsIndexed: number;
  documentsFailed: number;
  chunksIndexed: number;
  searches: LatencyView;
  hit: number;
  miss: number;
  empty: number;
}>;

type Series<Of> = Readonly<{ bucketSeconds: number; buckets: readonly Of[] }>;

export type Figures = Observer &
  Readonly<{
    /** Sets the sources of the gauges, which are read every five seconds. */
    watch: (sources: MetricSources) => void;
    health: () => Promise<RagHealth>;
    /** Whether writes of this process fail at the moment. */
    writesFail: () => Promise<boolean>;
    /** Number of model calls since the start; cache hits do not count. */
    embeddingCalls: () => number;
    series: () => Series<SeriesBucket>;
    /** The figures of one tenant. They do not depend on other tenants. */
    ofTenant: (tenant: TenantId) => Readonly<{ health: TenantHealth; series: Series<TenantBucket> }>;
    stop: () => void;
  }>;

/** The figures of the console and of `/health/rag`. They are kept in memory only, for 15 minutes. `now` returns Unix milliseconds. */
export const createFigures = (now: () => number = () => SYSTEM.clock.now()): Figures => {
  const installation = new FigureRings(now);
  const tenants = new TenantRings(now);
  const caughtUp = new CaughtUp();
  const { window, series } = installation;
  const note: Note = (what, tenant) => {
    installation.note(what);
    if (tenant !== undefined) tenants.note(tenant, what);
  };
  let sources: MetricSources = {};
  let reader = new GaugeReader(sources, caughtUp);
  let writes = new WriteState(undefined);
  let embeddingCalls = 0;
  let stopSampling: Cancel | undefined;
  const sample = async (): Promise<void> => {
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
      stopSampling ??= SYSTEM.scheduler.every(SAMPLE_INTERVAL_MS, () => void sample(), { background: true });
    },
    health: async () => ragHealth(window.all(), WINDOW_SECONDS, await reader.read(), { ...sources, writesFail: await writes.failing() }),
    writesFail: () => writes.failing(),
    series: () => ({ bucketSeconds: SERIES_SECONDS, buckets: series.all().map(viewOf) }),
    ofTenant: (tenant) => {
      const rings = tenants.of(tenant);
      return {
        health: tenantHealth(rings.window.all(), WINDOW_SECONDS, sources),
        series: { bucketSeconds: SERIES_SECONDS, buckets: rings.series.all().map(tenantViewOf) },
      };
    },
    stop: () => {
      stopSampling?.();
      stopSampling = undefined;
    },
  };
};

const viewOf = (bucket: Bucket): SeriesBucket => {
  const {
    embedding,
    flush,
    gauges: { held: _held, ...gauges },
  } = bucket;
  return { ...tenantViewOf(bucket), embedding: embedding.view(), flush: flush.view(), ...gauges };
};

const tenantViewOf = ({ at, documentsIndexed, documentsFailed, chunksIndexed, searches, hit, miss, empty }: Bucket): TenantBucket => ({
  at: new Date(at).toISOString(),
  documentsIndexed,
  documentsFailed,
  chunksIndexed,
  searches: searches.view(),
  hit,
  miss,
  empty,
});

/** `tenant`: the tenant that caused the change, if there is one. */
type Note = (what: (bucket: Bucket) => void, tenant?: TenantId) => void;

const observing = (note: Note, now: () => number, caughtUp: CaughtUp, onModelCall: () => void): Observer => ({
  eventLog: (log) =>
    delegating(log, {
      append: async (stream, events, expected) => {
        const began = SYSTEM.clock.elapsed();
        const result = await log.append(stream, events, expected);
        // A conflict or a repeated append writes nothing to the disk.
        if (result.outcome === 'appended' && !result.repeated) note(({ flush }) => flush.add(SYSTEM.clock.elapsed() - began));
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
        const began = SYSTEM.clock.elapsed();
        onModelCall();
        try {
          const embeddings = await provider.embed(texts, kind, signal);
          note(({ embedding }) => embedding.add(SYSTEM.clock.elapsed() - began));
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
      if (ageOf(fact, now()) === undefined) continue;
      const { tenant } = fact.metadata;
      if (event.type === 'DocumentFailed') note((bucket) => void bucket.documentsFailed++, tenant);
      if (event.type !== 'DocumentIndexed') continue;
      note((bucket) => {
        bucket.documentsIndexed++;
        bucket.chunksIndexed += event.data.written.length;
      }, tenant);
    }
  },
  requests: () => undefined,
});

type RetrievalRecord = Readonly<{ miss?: unknown; data?: Readonly<{ latencyMs?: unknown; hits?: unknown }> }>;

/** Retrieval records describe a search without its text. Every process publishes them to the bus. */
const noteRetrieval = (note: Note, { body, headers }: Message): void => {
  const { miss, data } = JSON.parse(body) as RetrievalRecord;
  const { latencyMs, hits } = data ?? {};
  const found = Array.isArray(hits) ? hits.length : 0;
  note(
    (bucket) => {
      if (typeof latencyMs === 'number') bucket.searches.add(latencyMs);
      if (found === 0) bucket.empty++;
      else if (miss === undefined) bucket.hit++;
      else bucket.miss++;
    },
    headers['tenant'] as TenantId | undefined,
  );
};
