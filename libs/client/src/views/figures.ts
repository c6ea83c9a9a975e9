/** Latency in milliseconds of one process, over `count` measurements. Without measurements, only `count` is present. */
export type LatencyView = Readonly<{ count: number; mean?: number; p50?: number; p95?: number }>;

/**
 * Health of the process over the last 60 seconds, and its current state. Unknown values are missing. In a distributed installation,
 * each process reports its own figures; queue and counts are those of the installation.
 */
export type RagHealth = Readonly<{
  /** `degraded` has at least one reason. */
  status: 'ok' | 'degraded';
  /**
   * Stable codes: `projection-failing`, `catching-up`, `projection-behind`, `queue-nearly-full`, `embedding-failing`, `slow-flushes`,
   * `figures-missing`.
   */
  reasons: readonly string[];
  windowSeconds: number;
  /** Calls of the embedding model, for texts that were not in the cache. */
  embedding: LatencyView & Readonly<{ failures: number }>;
  /** `depth`: documents that wait to be indexed or are being processed. `held`: documents of paused knowledge bases, counted separately. */
  queue: Readonly<{ depth?: number; capacity?: number; held?: number }>;
  /** Time from appending events to the log until they are on disk. */
  flush: LatencyView;
  /** Each retrieval counts once. `hit`: at least one result is relevant; `miss`: no result is relevant; `empty`: no results. */
  retrievals: Readonly<{ hit: number; miss: number; empty: number; latency: LatencyView }>;
  /** How far the read models lag behind the log: in positions (events in the embedded log, bytes in EventStoreDB) and in milliseconds. */
  projection: Readonly<{ lagPositions?: number; lagMs?: number }>;
}>;

/** Without an operator's key, `/health/rag` shows only the status and its reasons. */
export type HealthReport = Pick<RagHealth, 'status' | 'reasons' | 'windowSeconds'> & Partial<RagHealth>;

/** Activity of a tenant in the last 60 seconds. No value depends on other tenants. */
export type TenantHealth = Readonly<{
  status: 'ok' | 'degraded';
  /** Stable codes: `projection-failing`, `catching-up`. */
  reasons: readonly string[];
  windowSeconds: number;
  retrievals: RagHealth['retrievals'];
  /** Number of documents that were indexed or failed. */
  documents: Readonly<{ indexed: number; failed: number }>;
}>;

/**
 * Figures of the interval that starts at `at`. Operator-only values are missing for other callers; gauges are missing if they were not
 * sampled.
 */
export type SeriesBucket = Readonly<{
  at: string;
  documentsIndexed: number;
  documentsFailed: number;
  chunksIndexed: number;
  searches: LatencyView;
  /** For operators only, like every value that covers all tenants. */
  embedding?: LatencyView;
  flush?: LatencyView;
  hit: number;
  miss: number;
  empty: number;
  queueDepth?: number;
  lagPositions?: number;
  lagMs?: number;
}>;

type Overview = Readonly<{
  documents: Readonly<{ pending: number; processing: number; indexed: number; failed: number; total: number; held: number }>;
  chunks: number;
  /**
   * The last 15 minutes of the process that responds, oldest first. The last bucket is incomplete. Divide counts by `bucketSeconds` for
   * rates.
   */
  series: Readonly<{ bucketSeconds: number; buckets: readonly SeriesBucket[] }>;
}>;

/** For an operator: the whole installation. For other callers: what the caller may read, with the figures of its tenant. */
export type OverviewView = (Overview & Readonly<{ of: 'installation'; health: RagHealth }>) | (Overview & Readonly<{ of: 'readable'; health: TenantHealth }>);
