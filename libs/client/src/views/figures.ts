/** Of one process, over so many measurements; milliseconds. Without measurements only the count. */
export type LatencyView = Readonly<{ count: number; mean?: number; p50?: number; p95?: number }>;

/**
 * How the process has been doing in the last 60 seconds, and where it stands now. What it does not know is missing. Of a
 * distributed installation each process tells its own; queue and counts are the installation's.
 */
export type RagHealth = Readonly<{
  /** `degraded` has at least one reason. */
  status: 'ok' | 'degraded';
  /** Stable codes: `projection-failing`, `catching-up`, `projection-behind`, `queue-nearly-full`, `embedding-failing`, `slow-flushes`, `figures-missing`. */
  reasons: readonly string[];
  windowSeconds: number;
  /** Calls of a model, for texts that no cache had. */
  embedding: LatencyView & Readonly<{ failures: number }>;
  /** Documents that wait to be indexed or are being worked on; those of paused knowledge bases are told apart. */
  queue: Readonly<{ depth?: number; capacity?: number; held?: number }>;
  /** From handing events to the log until they are on disk. */
  flush: LatencyView;
  /** Each retrieval counts once. `hit`: at least one relevant passage; `miss`: none is relevant; `empty`: nothing was found. */
  retrievals: Readonly<{ hit: number; miss: number; empty: number; latency: LatencyView }>;
  /** What is on the log and not in the read models yet: positions (events in the embedded log, bytes in EventStoreDB), and for how long. */
  projection: Readonly<{ lagPositions?: number; lagMs?: number }>;
}>;

/** Without an operator's key the state and its reasons are all that `/health/rag` shows. */
export type HealthReport = Pick<RagHealth, 'status' | 'reasons' | 'windowSeconds'> & Partial<RagHealth>;

/** What a tenant did in the last 60 seconds. Nothing in it depends on other tenants. */
export type TenantHealth = Readonly<{
  status: 'ok' | 'degraded';
  /** Stable codes: `projection-failing`, `catching-up`. */
  reasons: readonly string[];
  windowSeconds: number;
  retrievals: RagHealth['retrievals'];
  /** Documents that were indexed, or failed. */
  documents: Readonly<{ indexed: number; failed: number }>;
}>;

/** What happened in the seconds from `at` on. What only operators see is missing for others; gauges are missing where nobody looked. */
export type SeriesBucket = Readonly<{
  at: string;
  documentsIndexed: number;
  documentsFailed: number;
  chunksIndexed: number;
  searches: LatencyView;
  /** For operators only, like all that follows from the work of all tenants together. */
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
  /** The last 15 minutes, the oldest first, of the process that answers; the last one is still being filled. Divide counts by `bucketSeconds` for rates. */
  series: Readonly<{ bucketSeconds: number; buckets: readonly SeriesBucket[] }>;
}>;

/** For an operator the whole installation; for others what the caller may read, with the figures of its tenant. */
export type OverviewView = (Overview & Readonly<{ of: 'installation'; health: RagHealth }>) | (Overview & Readonly<{ of: 'readable'; health: TenantHealth }>);
