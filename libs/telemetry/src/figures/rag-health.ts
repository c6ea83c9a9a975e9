import type { VerificationRecord } from '@palimpsest/contracts/http';
import type { EmbeddingVersion } from '@palimpsest/knowledge/values';
import type { MetricSources } from '../metrics/scrape.ts';
import type { Bucket, Gauges } from './bucket.ts';
import type { Reading } from './gauge-reader.ts';
import { lastCompleted } from '../metrics/verification-instruments.ts';
import { Latency, type LatencyView } from './latency.ts';

/** See `RagHealth` of the typed client. */
export type RagHealth = Readonly<{
  status: 'ok' | 'degraded';
  reasons: readonly string[];
  windowSeconds: number;
  embedding: LatencyView & Readonly<{ failures: number }>;
  queue: Readonly<{ depth?: number; capacity?: number; held?: number }>;
  flush: LatencyView;
  retrievals: Readonly<{ hit: number; miss: number; empty: number; latency: LatencyView }>;
  projection: Readonly<{ lagPositions?: number; lagMs?: number }>;
  models: Readonly<{ missing?: readonly Readonly<{ embeddingVersion: EmbeddingVersion; scopes: number }>[] }>;
  /** The last verifications of the read models, the newest first. Missing in a process that has none. */
  verifications?: readonly VerificationRecord[];
}>;

/** See `TenantHealth` of the typed client. */
export type TenantHealth = Readonly<
  Pick<RagHealth, 'status' | 'reasons' | 'windowSeconds' | 'retrievals'> & { documents: Readonly<{ indexed: number; failed: number }> }
>;

/** Thresholds of a degraded status. */
export const BEHIND_MS = 10_000;
const QUEUE_SHARE = 0.9;
const FAILING_SHARE = 0.1;
export const SLOW_FLUSH_MS = 500;
/** With fewer flushes, the percentile is not significant. */
const MIN_FLUSHES = 5;

/** `window`: the buckets of the last `windowSeconds`. */
export const ragHealth = (
  window: readonly Bucket[],
  windowSeconds: number,
  { gauges, missingModels, complete }: Reading,
  { queueCapacity, runner, verifications, writesFail }: MetricSources & Readonly<{ writesFail: boolean }>,
): RagHealth => {
  const sum = (of: (bucket: Bucket) => number): number => window.reduce((total, bucket) => total + of(bucket), 0);
  const latency = (of: (bucket: Bucket) => Latency): LatencyView => Latency.of(window.map(of));
  const { queueDepth, held, ...projection } = gauges;
  const figures = {
    windowSeconds,
    embedding: { ...latency(({ embedding }) => embedding), failures: sum(({ embeddingFailures }) => embeddingFailures) },
    queue: {
      ...(queueDepth === undefined ? {} : { depth: queueDepth }),
      ...(queueCapacity === undefined ? {} : { capacity: queueCapacity }),
      ...(held === undefined ? {} : { held }),
    },
    flush: latency(({ flush }) => flush),
    retrievals: retrievalsIn(window),
    projection,
    models: missingModels === undefined ? {} : { missing: missingModels },
    ...(verifications ? { verifications: verifications().past } : {}),
  };
  const reasons = [
    ...(writesFail ? ['writes-failing'] : []),
    ...readModelReasons(runner, gauges),
    ...loadReasons(figures),
    ...(missingModels && missingModels.length > 0 ? ['model-missing'] : []),
    ...verificationReasons(figures.verifications ?? []),
    ...(complete ? [] : ['figures-missing']),
  ];
  return { status: reasons.length === 0 ? 'ok' : 'degraded', reasons, ...figures };
};

const retrievalsIn = (window: readonly Bucket[]): RagHealth['retrievals'] => {
  const sum = (of: (bucket: Bucket) => number): number => window.reduce((total, bucket) => total + of(bucket), 0);
  return {
    hit: sum(({ hit }) => hit),
    miss: sum(({ miss }) => miss),
    empty: sum(({ empty }) => empty),
    latency: Latency.of(window.map(({ searches }) => searches)),
  };
};

/** The activity of a tenant, and whether its search results are complete. It does not depend on the load of other tenants. */
export const tenantHealth = (window: readonly Bucket[], windowSeconds: number, { runner }: MetricSources): TenantHealth => {
  const reasons = readModelReasons(runner, {});
  const sum = (of: (bucket: Bucket) => number): number => window.reduce((total, bucket) => total + of(bucket), 0);
  return {
    status: reasons.length === 0 ? 'ok' : 'degraded',
    reasons,
    windowSeconds,
    retrievals: retrievalsIn(window),
    documents: { indexed: sum(({ documentsIndexed }) => documentsIndexed), failed: sum(({ documentsFailed }) => documentsFailed) },
  };
};

const readModelReasons = (runner: MetricSources['runner'], { lagMs = 0 }: Gauges): readonly string[] => [
  ...(runner && runner.failure() !== undefined ? ['projection-failing'] : []),
  ...(runner && !runner.serving() ? ['catching-up'] : []),
  ...(lagMs > BEHIND_MS ? ['projection-behind'] : []),
];

const verificationReasons = (past: readonly VerificationRecord[]): readonly string[] => {
  const { differences = [], damage = 0 } = lastCompleted(past) ?? {};
  return [...(differences.length > 0 ? ['read-models-differ'] : []), ...(damage > 0 ? ['stored-data-damaged'] : [])];
};

const loadReasons = ({ embedding, queue, flush }: Pick<RagHealth, 'embedding' | 'queue' | 'flush'>): readonly string[] => [
  ...(queue.depth !== undefined && queue.capacity !== undefined && queue.depth >= queue.capacity * QUEUE_SHARE
    ? ['queue-nearly-full']
    : []),
  ...(embedding.failures > 0 && embedding.failures >= (embedding.count + embedding.failures) * FAILING_SHARE ? ['embedding-failing'] : []),
  ...(flush.count >= MIN_FLUSHES && (flush.p95 ?? 0) > SLOW_FLUSH_MS ? ['slow-flushes'] : []),
];
