import { GROUPS, TOPICS } from '@palimpsest/contracts';
import { SYSTEM, type Cancel } from '@palimpsest/foundation';
import { queueDepth } from '@palimpsest/ingestion';
import { DOCUMENT_STATES } from '@palimpsest/knowledge/read-models';
import type { EventLog, MessageBus } from '@palimpsest/knowledge/ports';
import type { Catalog } from '@palimpsest/knowledge/read-models';
import type { EmbeddingVersion } from '@palimpsest/knowledge/values';
import type { ReadModelRunner } from '@palimpsest/projections';
import type { CaughtUp } from '../caught-up.ts';
import type { FleetCounts } from './fleet-instruments.ts';
import type { PastViewCounts } from './past-view-instruments.ts';
import type { RebuildFigures } from './rebuild-instruments.ts';
import type { Instruments } from './instruments.ts';
import type { SwapCounts } from './swap-instruments.ts';
import type { VerificationFigures } from './verification-instruments.ts';

/** The sources that a scrape reads. A process provides those that it has. */
export type MetricSources = Readonly<{
  log?: Pick<EventLog, 'head'>;
  catalog?: Pick<Catalog, 'documentCounts' | 'chunkCount' | 'scopes'>;
  bus?: Pick<MessageBus, 'lag' | 'deadLetters'>;
  runner?: Pick<ReadModelRunner, 'progress' | 'serving' | 'failure'>;
  /** Texts of each model that the cache of embeddings answered, and that were computed, since the start. */
  embeddings?: Readonly<{
    cacheStatsByVersion: () => ReadonlyMap<EmbeddingVersion, Readonly<{ hits: number; misses: number }>>;
    /** The models that this process can use. */
    versions: () => readonly EmbeddingVersion[];
    /** The models of endpoints: whether another model has the name, and whether the circuit is open. */
    endpoints: () => readonly Readonly<{ version: EmbeddingVersion; changed: boolean; open: boolean }>[];
  }>;
  /** Maximum number of documents waiting to be indexed. */
  queueCapacity?: number;
  /** Throws while writes fail; see `WriteState`. */
  checkWrites?: () => Promise<void>;
  /** Fleets and their scopes. */
  fleets?: () => FleetCounts;
  /** The read models of earlier moments. */
  pastViews?: () => PastViewCounts;
  /** The rebuild of the read models. */
  rebuild?: () => RebuildFigures | undefined;
  /** The verifications of the read models. */
  verifications?: () => VerificationFigures;
  /** Figures of all swaps. */
  swaps?: () => SwapCounts;
  /** Number of dropped retrieval records since the start. */
  retrievalRecordsDropped?: () => number;
  /** Canaries that run, and those that this process ended after a regression. */
  canaries?: Readonly<{ running: number; returned: number }>;
}>;

/** Timeout of a source, in milliseconds; a slower source is left out. */
const SOURCE_MS = 2_000;
/** Minimum time between two searches for dead letters, which may need a scan. */
const DEAD_LETTERS_MS = 15_000;
const MAX_DEAD_LETTERS = 1_000;

type Source = Readonly<{
  name: string;
  read: () => Promise<void>;
  /** Removes the values of the previous scrape. */
  forget: () => void;
}>;

/** Updates every metric that is read rather than counted. */
export type Scrape = () => Promise<void>;

export const scrapeOf = (sources: MetricSources, instruments: Instruments, caughtUp: CaughtUp): Scrape => {
  const all = [
    ...catalogSources(sources, instruments),
    ...busSources(sources, instruments),
    ...queueSources(sources, instruments),
    ...projectionSources(sources, instruments, caughtUp),
    ...ownSources(sources, instruments),
  ].map(onceAtATime);
  return async () => {
    await Promise.all(all.map((source) => readSource(source, instruments)));
  };
};

/** A source that hangs is not read again until it has responded. */
const onceAtATime = (source: Source): Source => {
  let running: Promise<void> | undefined;
  return { ...source, read: () => (running ??= source.read().finally(() => (running = undefined))) };
};

const readSource = async ({ name, read, forget }: Source, { scrapeFailures }: Instruments): Promise<void> => {
  try {
    await inTime(read());
  } catch {
    forget();
    scrapeFailures.inc({ source: name });
  }
};

const inTime = async (work: Promise<void>): Promise<void> => {
  let cancel: Cancel | undefined;
  const late = new Promise<never>((_, reject) => (cancel = SYSTEM.scheduler.after(SOURCE_MS, () => reject(new Error('too late')))));
  try {
    await Promise.race([work, late]);
  } finally {
    cancel?.();
  }
};

const catalogSources = ({ catalog }: MetricSources, { documents, chunks }: Instruments): readonly Source[] =>
  catalog === undefined
    ? []
    : [
        {
          name: 'catalog',
          read: async () => {
            const [counts, chunkCount] = [await catalog.documentCounts(), await catalog.chunkCount()];
            for (const state of DOCUMENT_STATES) documents.set({ state }, counts[state]);
            chunks.set(chunkCount);
          },
          forget: () => {
            documents.reset();
            chunks.remove();
          },
        },
      ];

const QUEUES = [
  { topic: TOPICS.ingestion, group: GROUPS.ingestion },
  { topic: TOPICS.reembedding, group: GROUPS.reembedding },
  { topic: TOPICS.retrieval, group: GROUPS.retrieval },
];

const busSources = ({ bus }: MetricSources, { busLag, deadLetters }: Instruments): readonly Source[] => {
  if (bus === undefined) return [];
  let nextReadAt = 0;
  const lags = QUEUES.map((queue) => ({
    name: `lag of ${queue.topic}`,
    read: async () => {
      busLag.set(queue, await bus.lag(queue.topic, queue.group));
    },
    forget: () => busLag.remove(queue),
  }));
  const dead = {
    name: 'dead letters',
    read: async () => {
      if (SYSTEM.clock.elapsed() < nextReadAt) return;
      const found = await bus.deadLetters({ limit: MAX_DEAD_LETTERS });
      for (const queue of QUEUES)
        deadLetters.set(queue, found.filter(({ topic, group }) => topic === queue.topic && group === queue.group).length);
      nextReadAt = SYSTEM.clock.elapsed() + DEAD_LETTERS_MS;
    },
    forget: () => deadLetters.reset(),
  };
  return [...lags, dead];
};

const projectionSources = (
  { runner, log }: MetricSources,
  { ready, projectionLag, behind }: Instruments,
  caughtUp: CaughtUp,
): readonly Source[] => {
  if (runner === undefined) return [];
  const readiness = {
    name: 'readiness',
    read: async () => ready.set(runner.serving() && runner.failure() === undefined ? 1 : 0),
    forget: () => ready.remove(),
  };
  const lag = {
    name: 'projections',
    read: async () => {
      if (log === undefined) return;
      const head = await log.head();
      const progress = await runner.progress();
      for (const { name, position } of progress) projectionLag.set({ projection: name }, Number(head > position ? head - position : 0n));
      if (progress.every(({ position }) => position >= head)) caughtUp.now();
      behind.set(progress.every(({ position }) => position >= head) ? 0 : caughtUp.secondsAgo());
    },
    forget: () => {
      projectionLag.reset();
      behind.remove();
    },
  };
  return [readiness, lag];
};

const queueSources = ({ catalog, bus }: MetricSources, instruments: Instruments): readonly Source[] =>
  catalog === undefined || bus === undefined
    ? []
    : [
        {
          name: 'queue',
          read: async () => {
            instruments.queueDepth.set((await queueDepth(catalog, bus)).waiting);
          },
          forget: () => instruments.queueDepth.remove(),
        },
      ];

/** Numbers that are counted elsewhere and reported unchanged. */
const ownSources = (
  { embeddings, queueCapacity, retrievalRecordsDropped, canaries }: MetricSources,
  instruments: Instruments,
): readonly Source[] => {
  const read = async (): Promise<void> => {
    if (queueCapacity !== undefined) instruments.queueCapacity.set(queueCapacity);
    if (retrievalRecordsDropped !== undefined) {
      for (const counter of [instruments.retrievalRecordsDropped, instruments.retrievalTracesDropped]) {
        counter.reset();
        counter.inc(retrievalRecordsDropped());
      }
    }
    if (canaries !== undefined) {
      instruments.canaries.set(canaries.running);
      instruments.canaryReturns.reset();
      instruments.canaryReturns.inc(canaries.returned);
    }
    if (embeddings === undefined) return;
    instruments.modelsUnusable.reset();
    for (const { version, changed, open } of embeddings.endpoints()) {
      instruments.modelsUnusable.set({ version, reason: 'changed' }, changed ? 1 : 0);
      instruments.modelsUnusable.set({ version, reason: 'circuit-open' }, open ? 1 : 0);
    }
    instruments.embeddingTexts.reset();
    for (const [version, { hits, misses }] of embeddings.cacheStatsByVersion()) {
      instruments.embeddingTexts.inc({ version, cache: 'hit' }, hits);
      instruments.embeddingTexts.inc({ version, cache: 'miss' }, misses);
    }
  };
  return [{ name: 'own counts', read, forget: () => undefined }];
};
