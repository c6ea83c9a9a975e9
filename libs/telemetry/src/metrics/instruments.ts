import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { createFleetInstruments } from './fleet-instruments.ts';
import { createPastViewInstruments } from './past-view-instruments.ts';
import { createRebuildInstruments } from './rebuild-instruments.ts';
import { createHttpQueueInstruments } from './http-queue-instruments.ts';
import { createSearchInstruments } from './search-instruments.ts';
import { createSwapInstruments } from './swap-instruments.ts';
import { createVerificationInstruments } from './verification-instruments.ts';

/** Buckets in seconds, from a fast local response to the usual timeout of a caller. */
const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const APPEND_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const EMBEDDING_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
const WORK_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300];
const WAIT_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 15, 60, 300, 1_800, 7_200];
const BATCH_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const DELAY_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30, 600];

const httpInstruments = (registers: Registry[]) => ({
  httpDuration: new Histogram({
    name: 'palimpsest_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its response; status is a class (2xx), or "aborted" if the caller disconnected',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: REQUEST_SECONDS,
    registers,
  }),
  httpProblems: new Counter({
    name: 'palimpsest_http_problems_total',
    help: 'Requests that returned a problem, by its code: RateLimited, QuotaExceeded, Overloaded, NotCaughtUp, …',
    labelNames: ['code'] as const,
    registers,
  }),
});

const logInstruments = (registers: Registry[]) => ({
  appendDuration: new Histogram({
    name: 'palimpsest_append_duration_seconds',
    help: 'Duration of appends to the event log, until the events are on disk, by category of the stream',
    labelNames: ['category'] as const,
    buckets: APPEND_SECONDS,
    registers,
  }),
  appendConflicts: new Counter({
    name: 'palimpsest_append_conflicts_total',
    help: 'Appends at an outdated revision; the command is decided again',
    labelNames: ['category'] as const,
    registers,
  }),
  appendFailures: new Counter({
    name: 'palimpsest_append_failures_total',
    help: 'Appends that failed: the event log was unavailable or refused the events',
    labelNames: ['category'] as const,
    registers,
  }),
  appendedEvents: new Counter({
    name: 'palimpsest_appended_events_total',
    help: 'Events that this process appended to the log',
    labelNames: ['type'] as const,
    registers,
  }),
});

const busInstruments = (registers: Registry[]) => ({
  busLag: new Gauge({
    name: 'palimpsest_bus_lag_messages',
    help: 'Messages on the bus that a group has not settled yet, including those in progress; the same from every process',
    labelNames: ['topic', 'group'] as const,
    registers,
  }),
  deadLetters: new Gauge({
    name: 'palimpsest_bus_dead_letters_messages',
    help: 'Dead letters: messages that failed too often and wait for an operator; at most 1,000 are counted',
    labelNames: ['topic', 'group'] as const,
    registers,
  }),
  handleDuration: new Histogram({
    name: 'palimpsest_bus_handle_duration_seconds',
    help: 'Time to handle one delivery or batch; outcome "failed" leads to a retry or a dead letter',
    labelNames: ['topic', 'group', 'outcome'] as const,
    buckets: WORK_SECONDS,
    registers,
  }),
  busWait: new Histogram({
    name: 'palimpsest_bus_wait_seconds',
    help: 'Time from the publication of a message to its first handling',
    labelNames: ['topic', 'group'] as const,
    buckets: WAIT_SECONDS,
    registers,
  }),
});

const embeddingInstruments = (registers: Registry[]) => ({
  embeddingDuration: new Histogram({
    name: 'palimpsest_embedding_duration_seconds',
    help: 'Duration of calls of an embedding model, for texts that were not in the cache',
    labelNames: ['version', 'kind'] as const,
    buckets: EMBEDDING_SECONDS,
    registers,
  }),
  embeddingFailures: new Counter({
    name: 'palimpsest_embedding_failures_total',
    help: 'Calls of an embedding model that failed',
    labelNames: ['version', 'kind'] as const,
    registers,
  }),
  embeddingTexts: new Counter({
    name: 'palimpsest_embedding_texts_total',
    help: 'Texts to embed, by hit or miss in the cache of this process',
    labelNames: ['version', 'cache'] as const,
    registers,
  }),
  modelsUnusable: new Gauge({
    name: 'palimpsest_unusable_models',
    help: '1 while this process does not use the model of an endpoint, because another model has its name (changed) or its endpoint failed several times in a row (circuit-open), else 0',
    labelNames: ['version', 'reason'] as const,
    registers,
  }),
});

const stateInstruments = (registers: Registry[]) => ({
  ready: new Gauge({ name: 'palimpsest_ready', help: '1 if searches return complete results, else 0', registers }),
  documents: new Gauge({
    name: 'palimpsest_documents',
    help: 'Documents of the installation, by the status of their latest version',
    labelNames: ['state'] as const,
    registers,
  }),
  chunks: new Gauge({ name: 'palimpsest_chunks', help: 'Searchable chunks of the installation', registers }),
  queueDepth: new Gauge({
    name: 'palimpsest_queue_depth_documents',
    help: 'Documents that wait to be indexed or are being processed, on the bus or before it; the same from every process. Scale ingestion on this metric',
    registers,
  }),
  queueCapacity: new Gauge({
    name: 'palimpsest_queue_capacity_documents',
    help: 'Maximum number of documents waiting to be indexed; more are refused with 429',
    registers,
  }),
  projectionLag: new Gauge({
    name: 'palimpsest_projection_lag_positions',
    help: 'Distance of a read model from the end of the log, in units of the log: events in the embedded log, bytes in EventStoreDB',
    labelNames: ['projection'] as const,
    registers,
  }),
  behind: new Gauge({
    name: 'palimpsest_projection_behind_seconds',
    help: 'Time since the read models of this process last had caught up with the log; 0 while they have',
    registers,
  }),
  projectedEvents: new Counter({
    name: 'palimpsest_projected_events_total',
    help: 'Events that this process projected into its read models, including replays',
    registers,
  }),
  projectionDuration: new Histogram({
    name: 'palimpsest_projection_batch_duration_seconds',
    help: 'Time to project one batch of events into the read models',
    buckets: BATCH_SECONDS,
    registers,
  }),
  projectionDelay: new Histogram({
    name: 'palimpsest_projection_delay_seconds',
    help: 'Time from the recording of an event until it is in the read models of this process; events older than 10 minutes are replays and not counted',
    buckets: DELAY_SECONDS,
    registers,
  }),
  retrievalRecordsDropped: new Counter({
    name: 'palimpsest_retrieval_records_dropped_total',
    help: 'Retrieval records that were dropped because too many were waiting or they could not be published',
    registers,
  }),
  /** The name of version 0.1, kept as an alias for one version. */
  retrievalTracesDropped: new Counter({
    name: 'palimpsest_retrieval_traces_dropped_total',
    help: 'Deprecated: use palimpsest_retrieval_records_dropped_total',
    registers,
  }),
  canaries: new Gauge({ name: 'palimpsest_canaries', help: 'Canaries of swaps that run, in the installation', registers }),
  canaryReturns: new Counter({
    name: 'palimpsest_canary_returns_total',
    help: 'Canaries that this process ended because the new generation served their callers worse',
    registers,
  }),
  scrapeFailures: new Counter({
    name: 'palimpsest_scrape_failures_total',
    help: 'Sources of metrics that failed or did not respond in time; their metrics are left out of the scrape',
    labelNames: ['source'] as const,
    registers,
  }),
  build: new Gauge({
    name: 'palimpsest_build_info',
    help: 'Always 1; the label is the version of the process',
    labelNames: ['version'] as const,
    registers,
  }),
});

/** Every metric of the platform. Names end in their unit. Labels have few values, and never a tenant, an id or a text. */
export const createInstruments = (registry: Registry) => {
  const registers = [registry];
  const instruments = {
    ...httpInstruments(registers),
    ...logInstruments(registers),
    ...busInstruments(registers),
    ...embeddingInstruments(registers),
    ...stateInstruments(registers),
    httpQueue: createHttpQueueInstruments(registers),
    fleets: createFleetInstruments(registers),
    pastViews: createPastViewInstruments(registers),
    rebuilds: createRebuildInstruments(registers),
    verifications: createVerificationInstruments(registers),
    searches: createSearchInstruments(registers),
    swaps: createSwapInstruments(registers),
  };
  // Metrics without labels would start at 0; a process that does not know their value must not report one.
  const { ready, chunks, queueDepth, queueCapacity, behind, retrievalRecordsDropped, retrievalTracesDropped, canaries, canaryReturns } =
    instruments;
  for (const unknown of [ready, chunks, queueDepth, queueCapacity, behind, retrievalRecordsDropped, retrievalTracesDropped])
    unknown.remove();
  for (const unknown of [canaries, canaryReturns]) unknown.remove();
  return instruments;
};

export type Instruments = ReturnType<typeof createInstruments>;
