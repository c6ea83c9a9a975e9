import { GROUPS, TOPICS } from '@palimpsest/contracts';
import { queueDepth } from '@palimpsest/ingestion';
import { DOCUMENT_STATES } from '@palimpsest/knowledge';
import type { Catalog, EventLog, MessageBus } from '@palimpsest/knowledge';
import type { ReadModelRunner } from '@palimpsest/projections';
import type { OpenModels } from '../../embedding-models.ts';
import type { CaughtUp } from '../caught-up.ts';
import type { Instruments } from './instruments.ts';

/** What is asked when somebody scrapes; a process gives what it has. */
export type MetricSources = Readonly<{
  log?: Pick<EventLog, 'head'>;
  catalog?: Pick<Catalog, 'documentCounts' | 'chunkCount'>;
  bus?: Pick<MessageBus, 'lag' | 'deadLetters'>;
  runner?: Pick<ReadModelRunner, 'progress' | 'serving' | 'failure'>;
  embeddings?: Pick<OpenModels, 'cacheStatsByVersion'>;
  /** Documents that may wait. */
  queueCapacity?: number;
  /** Throws while nothing can be stored; see `WriteState`. */
  checkWrites?: () => Promise<void>;
  /** Since the start. */
  tracesDropped?: () => number;
}>;

/** A source that takes longer is left out, in milliseconds. */
const SOURCE_MS = 2_000;
/** Finding dead letters may take a scan, so that is done only so often. */
const DEAD_LETTERS_MS = 15_000;
const MOST_DEAD_LETTERS = 1_000;

type Source = Readonly<{
  name: string;
  read: () => Promise<void>;
  /** Takes the figures of the last time away. */
  forget: () => void;
}>;

/** Brings every figure that is read, not counted, up to date. */
export type Scrape = () => Promise<void>;

export const scrapeOf = (sources: MetricSources, instruments: Instruments, caughtUp: CaughtUp): Scrape => {
  const all = [
    ...catalogSources(sources, instruments), ...busSources(sources, instruments), ...queueSources(sources, instruments),
    ...projectionSources(sources, instruments, caughtUp), ...ownSources(sources, instruments),
  ].map(onceAtATime);
  return async () => {
    await Promise.all(all.map((source) => readSource(source, instruments)));
  };
};

/** What hangs is not asked again until it has answered. */
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
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error('too late')), SOURCE_MS)));
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
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
  let lookAgainAt = 0;
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
      if (performance.now() < lookAgainAt) return;
      const found = await bus.deadLetters({ limit: MOST_DEAD_LETTERS });
      for (const queue of QUEUES) deadLetters.set(queue, found.filter(({ topic, group }) => topic === queue.topic && group === queue.group).length);
      lookAgainAt = performance.now() + DEAD_LETTERS_MS;
    },
    forget: () => deadLetters.reset(),
  };
  return [...lags, dead];
};

const projectionSources = ({ runner, log }: MetricSources, { ready, projectionLag, behind }: Instruments, caughtUp: CaughtUp): readonly Source[] => {
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

/** Numbers that something else counts, told as they are. */
const ownSources = ({ embeddings, queueCapacity, tracesDropped }: MetricSources, instruments: Instruments): readonly Source[] => {
  const read = async (): Promise<void> => {
    if (queueCapacity !== undefined) instruments.queueCapacity.set(queueCapacity);
    if (tracesDropped !== undefined) {
      instruments.tracesDropped.reset();
      instruments.tracesDropped.inc(tracesDropped());
    }
    if (embeddings === undefined) return;
    instruments.embeddingTexts.reset();
    for (const [version, { hits, misses }] of embeddings.cacheStatsByVersion()) {
      instruments.embeddingTexts.inc({ version, cache: 'hit' }, hits);
      instruments.embeddingTexts.inc({ version, cache: 'miss' }, misses);
    }
  };
  return [{ name: 'own counts', read, forget: () => undefined }];
};
