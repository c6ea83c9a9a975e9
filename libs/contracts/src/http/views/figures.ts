import { z } from 'zod';
import { fieldsOf, list, named, part, view } from '../view.ts';
import { verificationRecord } from './verification.ts';

const latencyView = view(
  'LatencyView',
  {
    count: z.number(),
    mean: z.number().exactOptional(),
    p50: z.number().exactOptional(),
    p95: z.number().exactOptional(),
  },
  'Latency in milliseconds of one process, over `count` measurements. Without measurements, only `count` is present.',
);
export type LatencyView = z.infer<typeof latencyView>;

const ragHealth = view(
  'RagHealth',
  {
    status: z.enum(['ok', 'degraded']).describe('`degraded` has at least one reason.'),
    reasons: list(z.string()).describe(
      'Stable codes: `projection-failing`, `catching-up`, `projection-behind`, `queue-nearly-full`, `embedding-failing`, `slow-flushes`, `model-missing`, `read-models-differ`, `stored-data-damaged`, `figures-missing`.',
    ),
    windowSeconds: z.number(),
    embedding: part({ ...fieldsOf(latencyView), failures: z.number() }).describe(
      'Calls of the embedding model, for texts that were not in the cache.',
    ),
    queue: part({
      depth: z.number().exactOptional(),
      capacity: z.number().exactOptional(),
      held: z.number().exactOptional(),
    }).describe(
      '`depth`: documents that wait to be indexed or are being processed. `held`: documents of paused knowledge bases, counted separately.',
    ),
    flush: latencyView.describe('Time from appending events to the log until they are on disk.'),
    retrievals: part({ hit: z.number(), miss: z.number(), empty: z.number(), latency: latencyView }).describe(
      'Each retrieval counts once. `hit`: at least one result is relevant; `miss`: no result is relevant; `empty`: no results.',
    ),
    projection: part({ lagPositions: z.number().exactOptional(), lagMs: z.number().exactOptional() }).describe(
      'How far the read models lag behind the log: in positions (events in the embedded log, bytes in EventStoreDB) and in milliseconds.',
    ),
    models: part({ missing: list(part({ embeddingVersion: z.string(), scopes: z.number() })).exactOptional() }).describe(
      '`missing`: models that this process does not have, with the number of scopes that need each. These scopes are searched by words only, and their new documents wait.',
    ),
    verifications: list(verificationRecord)
      .describe('The last 20 verifications of the read models, the newest first. Missing in a process that answers no queries.')
      .exactOptional(),
  },
  'Health of the process over the last 60 seconds, and its current state. Unknown values are missing. In a distributed installation, each process reports its own figures; queue and counts are those of the installation.',
);
export type RagHealth = z.infer<typeof ragHealth>;

export const healthReport = view(
  'HealthReport',
  {
    status: fieldsOf(ragHealth).status,
    reasons: fieldsOf(ragHealth).reasons,
    windowSeconds: fieldsOf(ragHealth).windowSeconds,
    embedding: fieldsOf(ragHealth).embedding.exactOptional(),
    queue: fieldsOf(ragHealth).queue.exactOptional(),
    flush: fieldsOf(ragHealth).flush.exactOptional(),
    retrievals: fieldsOf(ragHealth).retrievals.exactOptional(),
    projection: fieldsOf(ragHealth).projection.exactOptional(),
    models: fieldsOf(ragHealth).models.exactOptional(),
    verifications: fieldsOf(ragHealth).verifications,
  },
  "Without an operator's key, `/health/rag` shows only the status and its reasons.",
);
export type HealthReport = z.infer<typeof healthReport>;

const tenantHealth = view(
  'TenantHealth',
  {
    status: z.enum(['ok', 'degraded']),
    reasons: list(z.string()).describe('Stable codes: `projection-failing`, `catching-up`.'),
    windowSeconds: z.number(),
    retrievals: fieldsOf(ragHealth).retrievals,
    documents: part({ indexed: z.number(), failed: z.number() }).describe('Number of documents that were indexed or failed.'),
  },
  'Activity of a tenant in the last 60 seconds. No value depends on other tenants.',
);
export type TenantHealth = z.infer<typeof tenantHealth>;

const seriesBucket = view(
  'SeriesBucket',
  {
    at: z.string(),
    documentsIndexed: z.number(),
    documentsFailed: z.number(),
    chunksIndexed: z.number(),
    searches: latencyView,
    embedding: latencyView.describe('For operators only, like every value that covers all tenants.').exactOptional(),
    flush: latencyView.exactOptional(),
    hit: z.number(),
    miss: z.number(),
    empty: z.number(),
    queueDepth: z.number().exactOptional(),
    lagPositions: z.number().exactOptional(),
    lagMs: z.number().exactOptional(),
  },
  'Figures of the interval that starts at `at`. Operator-only values are missing for other callers; gauges are missing if they were not sampled.',
);
export type SeriesBucket = z.infer<typeof seriesBucket>;

const overview = {
  documents: part({
    pending: z.number(),
    processing: z.number(),
    indexed: z.number(),
    failed: z.number(),
    total: z.number(),
    held: z.number(),
  }),
  chunks: z.number(),
  series: part({ bucketSeconds: z.number(), buckets: list(seriesBucket) }).describe(
    'The last 15 minutes of the process that responds, oldest first. The last bucket is incomplete. Divide counts by `bucketSeconds` for rates.',
  ),
};

export const overviewView = named(
  'OverviewView',
  z.union([
    part({ ...overview, of: z.literal('installation'), health: ragHealth }),
    part({ ...overview, of: z.literal('readable'), health: tenantHealth }),
  ]),
  'For an operator: the whole installation. For other callers: what the caller may read, with the figures of its tenant.',
);
export type OverviewView = z.infer<typeof overviewView>;
