import { dirname, join, sep } from 'node:path';
import { openBm25Index } from '@palimpsest/adapters-bm25';
import { openDocumentParser } from '@palimpsest/adapters-documents';
import { checkWrites, masterKeySigner, openFolderBlobStore } from '@palimpsest/adapters-folder';
import { openSqliteCatalog, openSqliteEventLog, openSqliteMessageBus } from '@palimpsest/adapters-sqlite';
import { openScanVectorIndex } from '@palimpsest/adapters-vector-scan';
import type { FolderLayout } from '@palimpsest/backup';
import { Journal, lexicalDigest, vectorDigest } from '@palimpsest/contracts';
import { memoryRateBuckets } from '@palimpsest/adapters-rate-limits';
import { SYSTEM } from '@palimpsest/foundation';
import { NO_TELEMETRY, type MetricSources, type Telemetry } from '@palimpsest/telemetry';
import { withoutMemory } from '../models/embedding-models.ts';
import { MAX_YIELDED_DOCUMENTS } from '@palimpsest/ingestion';
import { Corrupt } from '@palimpsest/knowledge/errors';
import type { Checkpoints } from '@palimpsest/knowledge/ports';
import type { Catalog } from '@palimpsest/knowledge/read-models';
import { laterOf } from '@palimpsest/knowledge/values';
import { READ_MODELS_CHECKPOINT, ReadModelRunner } from '@palimpsest/projections';
import type { OnFault } from '@palimpsest/runtime';
import type { PortsOf } from '../create-platform.ts';
import type { WHOLE_PLATFORM } from '../features.ts';
import { openModels } from '../models/open-models.ts';
import { openChat } from '../models/open-chat-model.ts';
import { openReranker } from '../models/open-reranker.ts';
import { rechunking } from '../rechunking.ts';
import { localFiles } from '../local-files.ts';
import { openPastViews } from '../open-past-views.ts';
import { checkKeyFiles, openKeys } from './key-files.ts';
import { ReadModelSets } from '../read-model-sets.ts';
import type { PlatformConfig } from './settings.ts';
import { singleNodeLeases } from './single-node-leases.ts';

export type EmbeddedPorts = PortsOf<typeof WHOLE_PLATFORM>;

export type EmbeddedAdapters = Readonly<{
  ports: EmbeddedPorts;
  /** The sources of the metrics. */
  sources: MetricSources;
  /** Closes the adapters in the reverse order of opening. */
  close: () => Promise<void>;
}>;

/** Set by tests only: the indexes compact their files as soon as this many bytes are wasted. */
type Thresholds = Readonly<{ compactFromBytes?: number }>;

/** The embedded adapters: one process, one folder, no servers. The log is opened first because it holds the lock on the folder. */
export const openEmbeddedAdapters = async (
  config: PlatformConfig,
  folder: FolderLayout,
  onFault: OnFault,
  telemetry: Telemetry = NO_TELEMETRY,
  thresholds: Thresholds = {},
): Promise<EmbeddedAdapters> => {
  const opened: { close: () => Promise<void> }[] = [];
  const keep = <T extends { close: () => Promise<void> }>(adapter: T): T => (opened.unshift(adapter), adapter);
  const close = async (): Promise<void> => {
    for (const adapter of opened.splice(0)) await adapter.close();
  };
  try {
    const log = telemetry.eventLog(keep(await openSqliteEventLog({ file: folder.log })));
    const blobs = await openFolderBlobStore(folder.blobs);
    const { keys, masterKey } = await openKeys(folder, blobs, log);
    const journal = new Journal(log, keys);
    for (const damage of (await keys.check?.()) ?? []) onFault(new Corrupt(damage), 'checking the keys of scopes');
    const queues = keep(await openSqliteMessageBus({ file: folder.queues }));
    const bus = telemetry.messageBus(queues);
    const { checkpoints } = queues;
    const sets = keep(
      await ReadModelSets.open(
        folder.readModels,
        async (root, isCurrent) => ({
          catalog: await openSqliteCatalog({
            file: join(root, 'catalog.db'),
            isServing: isCurrent,
            onDamage: (reason) => isCurrent() && runner.catalogDamaged(reason),
            onEmptied: (reason) => onFault(new Corrupt(`the catalog ${root} is rebuilt from the log: ${reason}`), 'opening the catalog'),
          }),
          vectors: await openScanVectorIndex({
            ...thresholds,
            root,
            keys,
            onDamage: (...found) => isCurrent() && runner.indexDamaged('vectors', ...found),
          }),
          lexical: await openBm25Index({
            ...thresholds,
            root,
            keys,
            onDamage: (...found) => isCurrent() && runner.indexDamaged('lexical', ...found),
          }),
        }),
        { onError: (error) => onFault(error, 'deleting previous read models') },
      ),
    );
    const { catalog, vectors, lexical } = sets;
    await refuseShortenedLog(folder, journal, catalog, checkpoints);
    const models = keep(await openModels(config.embedding, (provider) => withoutMemory(telemetry.embedding(provider)), true));
    const reranking = keep(await openReranker(config.reranker));
    const chat = keep(await openChat(config.chat));
    const parser = keep(await openDocumentParser({ processes: config.parsers, maxBytes: config.maxDocumentBytes }));
    const runner = new ReadModelRunner(
      { journal, catalog, vectors, lexical, keys },
      {
        checkpoints,
        onError: (error) => onFault(error, 'projecting events'),
        onProjected: telemetry.projected,
        purgeAfterMs: config.purgeMs,
        onServing: () => lexical.warmUp(),
        checkIndexes: async (pace) => {
          await sets.current.vectors.check(pace);
          await sets.current.lexical.check(pace);
        },
      },
    );
    const live = () => ({
      ...sets.current,
      reached: runner.reached.bind(runner),
      serving: () => runner.serving(),
    });
    const pastViews = keep(await openPastViews(folder.pastViews, { journal, keys, keepMs: config.purgeMs, onFault, live }));
    const sources = {
      log: journal.log,
      catalog,
      bus,
      runner,
      embeddings: models.ports.providers,
      queueCapacity: config.queueCapacity,
      pastViews: () => pastViews.made,
      checkWrites: () => checkWrites(folder.root),
    };
    telemetry.watch(sources);
    const ports: EmbeddedPorts = {
      journal,
      bus,
      blobs,
      keys,
      signer: masterKeySigner(masterKey),
      ...models.ports,
      ...reranking.ports,
      ...chat.ports,
      catalog,
      vectors,
      lexical,
      parser,
      rechunk: rechunking({ journal, blobs, keys, parser, ...models.ports, system: SYSTEM }),
      checkpoints,
      onFault,
      system: SYSTEM,
      readModels: runner,
      pastViews,
      localFiles: localFiles(folder.root, 'all files below the data folder, without models', (path) => path.startsWith(`models${sep}`)),
      leases: singleNodeLeases(onFault),
      buckets: memoryRateBuckets(),
      settings: config,
      // Slow documents stay on the bus for as long as they are parsed, and must not block other documents.
      relay: { min: 2 * config.ingestionConcurrency + MAX_YIELDED_DOCUMENTS, window: Math.max(32, 4 * config.ingestionConcurrency) },
      figures: telemetry.figures,
      checkKeyFiles: (apiKeys) => checkKeyFiles(folder, masterKey, apiKeys),
      embeddingCalls: telemetry.figures.embeddingCalls,
      observeRetrieval: telemetry.retrieval,
      alongside: () => sets.alongside(),
      digests: { vector: vectorDigest, lexical: lexicalDigest },
    };
    return { ports, sources, close };
  } catch (error) {
    await close();
    throw error;
  }
};

/**
 * Events are projected only after they are durable. A log that ends before the last projected position has therefore lost its end,
 * for example because the write-ahead file was damaged or an older log was restored. New events would reuse the lost positions.
 * @throws Corrupt
 */
const refuseShortenedLog = async (folder: FolderLayout, journal: Journal, catalog: Catalog, checkpoints: Checkpoints): Promise<void> => {
  const head = await journal.log.head();
  const projected = laterOf(await catalog.position(), await checkpoints.get(READ_MODELS_CHECKPOINT));
  if (head >= projected) return;
  throw new Corrupt(
    `the event log ${folder.log} ends at position ${head}, but the read models have processed events up to position ${projected}: ` +
      `the log is damaged or out of date. Restore the log; or, to continue with this log, remove ${folder.readModels} and ${dirname(folder.queues)}`,
  );
};
