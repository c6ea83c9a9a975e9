import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { createDoorInstruments } from './door-instruments.ts';

/** In seconds; from what a local answer takes to what a caller gives up at. */
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
    help: 'From the head of a request to the end of its answer; status is a class (2xx) or "aborted" when the caller left',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: REQUEST_SECONDS,
    registers,
  }),
  httpProblems: new Counter({
    name: 'palimpsest_http_problems_total',
    help: 'Requests that were answered with a problem, by its code: RateLimited, QuotaExceeded, Overloaded, NotCaughtUp, …',
    labelNames: ['code'] as const,
    registers,
  }),
});

const logInstruments = (registers: Registry[]) => ({
  appendDuration: new Histogram({
    name: 'palimpsest_append_duration_seconds',
    help: 'Appends to the event log, by what the stream is about, until the events are on disk',
    labelNames: ['category'] as const,
    buckets: APPEND_SECONDS,
    registers,
  }),
  appendConflicts: new Counter({
    name: 'palimpsest_append_conflicts_total',
    help: 'Appends at a revision that had passed; the command is decided anew',
    labelNames: ['category'] as const,
    registers,
  }),
  appendFailures: new Counter({
    name: 'palimpsest_append_failures_total',
    help: 'Appends that failed: the event log was away, or refused what it was given',
    labelNames: ['category'] as const,
    registers,
  }),
  appendedEvents: new Counter({ name: 'palimpsest_appended_events_total', help: 'Events that this process put onto the log', labelNames: ['type'] as const, registers }),
});

const busInstruments = (registers: Registry[]) => ({
  busLag: new Gauge({
    name: 'palimpsest_bus_lag_messages',
    help: 'Messages on the bus that a group has not settled yet, those under way included; the same from every process',
    labelNames: ['topic', 'group'] as const,
    registers,
  }),
  deadLetters: new Gauge({
    name: 'palimpsest_bus_dead_letters_messages',
    help: 'Messages that were given up and wait for an operator; at most 1,000 are counted',
    labelNames: ['topic', 'group'] as const,
    registers,
  }),
  handleDuration: new Histogram({
    name: 'palimpsest_bus_handle_duration_seconds',
    help: 'Handling of one delivery or batch; outcome "failed" means a retry or a dead letter',
    labelNames: ['topic', 'group', 'outcome'] as const,
    buckets: WORK_SECONDS,
    registers,
  }),
  busWait: new Histogram({
    name: 'palimpsest_bus_wait_seconds',
    help: 'From the publishing of a message to its first handling',
    labelNames: ['topic', 'group'] as const,
    buckets: WAIT_SECONDS,
    registers,
  }),
});

const embeddingInstruments = (registers: Registry[]) => ({
  embeddingDuration: new Histogram({
    name: 'palimpsest_embedding_duration_seconds',
    help: 'Calls of a model, for texts that no cache had',
    labelNames: ['version', 'kind'] as const,
    buckets: EMBEDDING_SECONDS,
    registers,
  }),
  embeddingFailures: new Counter({ name: 'palimpsest_embedding_failures_total', help: 'Calls that a model did not answer', labelNames: ['version', 'kind'] as const, registers }),
  embeddingTexts: new Counter({
    name: 'palimpsest_embedding_texts_total',
    help: 'Texts whose vectors were asked for, by whether the cache of this process had them',
    labelNames: ['version', 'cache'] as const,
    registers,
  }),
});

const stateInstruments = (registers: Registry[]) => ({
  ready: new Gauge({ name: 'palimpsest_ready', help: '1 when searches give whole answers, else 0', registers }),
  documents: new Gauge({ name: 'palimpsest_documents', help: 'Documents of the installation by the state of their latest version', labelNames: ['state'] as const, registers }),
  chunks: new Gauge({ name: 'palimpsest_chunks', help: 'Chunks that searches see, of the installation', registers }),
  queueDepth: new Gauge({ name: 'palimpsest_queue_depth_documents', help: 'Documents that wait to be indexed or are being worked on, on the bus or in front of it; the same from every process, and what to scale ingestion on', registers }),
  queueCapacity: new Gauge({ name: 'palimpsest_queue_capacity_documents', help: 'Documents that may wait before more are refused with 429', registers }),
  projectionLag: new Gauge({
    name: 'palimpsest_projection_lag_positions',
    help: 'From what a read model has to the end of the log, in units of the log: events in the embedded one, bytes in EventStoreDB',
    labelNames: ['projection'] as const,
    registers,
  }),
  behind: new Gauge({ name: 'palimpsest_projection_behind_seconds', help: 'Since the read models of this process last had everything on the log; 0 while they have', registers }),
  projectedEvents: new Counter({ name: 'palimpsest_projected_events_total', help: 'Events that the read models of this process took in, replays included', registers }),
  projectionDuration: new Histogram({
    name: 'palimpsest_projection_batch_duration_seconds',
    help: 'Taking one batch of events into the read models',
    buckets: BATCH_SECONDS,
    registers,
  }),
  projectionDelay: new Histogram({
    name: 'palimpsest_projection_delay_seconds',
    help: 'From the recording of an event to the read models of this process having it; events older than 10 minutes are replays and not counted',
    buckets: DELAY_SECONDS,
    registers,
  }),
  tracesDropped: new Counter({ name: 'palimpsest_retrieval_traces_dropped_total', help: 'Records of searches that could not be kept up with, or not be published', registers }),
  scrapeFailures: new Counter({
    name: 'palimpsest_scrape_failures_total',
    help: 'Figures that a part of the process did not give in time; they are left out, never guessed',
    labelNames: ['source'] as const,
    registers,
  }),
  build: new Gauge({ name: 'palimpsest_build_info', help: 'Always 1; says which version runs', labelNames: ['version'] as const, registers }),
});

/** Every metric of our own. Names end in their unit; labels take few values, never a tenant, an id or a text. */
export const createInstruments = (registry: Registry) => {
  const registers = [registry];
  const instruments = {
    ...httpInstruments(registers),
    ...logInstruments(registers),
    ...busInstruments(registers),
    ...embeddingInstruments(registers),
    ...stateInstruments(registers),
    doors: createDoorInstruments(registers),
  };
  // Without labels they would begin at 0, and a process that does not know them must not say so.
  const { ready, chunks, queueDepth, queueCapacity, behind, tracesDropped } = instruments;
  for (const unknown of [ready, chunks, queueDepth, queueCapacity, behind, tracesDropped]) unknown.remove();
  return instruments;
};

export type Instruments = ReturnType<typeof createInstruments>;
