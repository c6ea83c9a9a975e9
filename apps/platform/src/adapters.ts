import { dirname } from 'node:path';
import { openBm25Index } from '@palimpsest/adapters-bm25';
import { gptTokenCounter, openDocumentParser } from '@palimpsest/adapters-documents';
import { checkWrites, openFolderBlobStore } from '@palimpsest/adapters-folder';
import { openSqliteCatalog, openSqliteCheckpoints, openSqliteEventLog, openSqliteMessageBus } from '@palimpsest/adapters-sqlite';
import { openScanVectorIndex } from '@palimpsest/adapters-vector-scan';
import type { FolderLayout } from '@palimpsest/backup';
import { Journal, lexicalDigest, vectorDigest } from '@palimpsest/contracts';
import { createAdmission, NO_TELEMETRY, openEmbeddingModels, withoutMemory, soleShares, type MetricSources, type Telemetry } from '@palimpsest/host';
import { DOCUMENTS_BESIDE } from '@palimpsest/ingestion';
import { Corrupt, laterOf, type Catalog, type Checkpoints } from '@palimpsest/knowledge';
import { CHECK_KEY_FILES, DIGESTS, EMBEDDING_CALLS, READ_MODELS_CHECKPOINT, ReadModelRunner, RELAY_OPTIONS } from '@palimpsest/projections';
import { ApiKeys, now, PORT, type OnFault, type TenantAdmission } from '@palimpsest/runtime';
import type { PlatformConfig } from './config.ts';
import { checkKeyFiles, openKeys } from './key-files.ts';

export type OpenAdapters = Readonly<{
  bound: ReadonlyMap<symbol, unknown>;
  journal: Journal;
  apiKeys: ApiKeys;
  admission: TenantAdmission;
  runner: ReadModelRunner;
  /** What the metrics are read from. */
  sources: MetricSources;
  /** In the reverse order of opening. */
  close: () => Promise<void>;
}>;

/** What only tests choose: indexes that are compacted as soon as they waste so many bytes. */
type Thresholds = Readonly<{ compactFromBytes?: number }>;

/** The embedded set: one process, one folder, no servers. The log first, since it holds the lock on the folder. */
export const openEmbeddedAdapters = async (
  config: PlatformConfig,
  folder: FolderLayout,
  onFault: OnFault,
  telemetry: Telemetry = NO_TELEMETRY,
  thresholds: Thresholds = {},
): Promise<OpenAdapters> => {
  const opened: { close: () => Promise<void> }[] = [];
  const keep = <T extends { close: () => Promise<void> }>(adapter: T): T => (opened.unshift(adapter), adapter);
  const close = async (): Promise<void> => {
    for (const adapter of opened.splice(0)) await adapter.close();
  };
  try {
    const journal = new Journal(telemetry.eventLog(keep(await openSqliteEventLog({ file: folder.log }))));
    const blobs = await openFolderBlobStore(folder.blobs);
    const { keys, masterKey } = await openKeys(folder, blobs, journal);
    for (const damage of (await keys.check?.()) ?? []) onFault(new Corrupt(damage), 'checking the keys of scopes');
    const bus = telemetry.messageBus(keep(await openSqliteMessageBus({ file: folder.queues })));
    const checkpoints = keep(await openSqliteCheckpoints({ file: folder.checkpoints }));
    const catalog = keep(
      await openSqliteCatalog({
        file: folder.catalog,
        onDamage: (reason) => runner.catalogDamaged(reason),
        onEmptied: (reason) => onFault(new Corrupt(`the catalogue ${folder.catalog} is made again from the log: ${reason}`), 'opening the catalogue'),
      }),
    );
    await refuseShortenedLog(folder, journal, catalog, checkpoints);
    const vectors = keep(await openScanVectorIndex({ ...thresholds, root: folder.readModels, onDamage: (...found) => runner.indexDamaged('vectors', ...found) }));
    const lexical = keep(await openBm25Index({ ...thresholds, root: folder.readModels, onDamage: (...found) => runner.indexDamaged('lexical', ...found) }));
    const providers = keep(await openEmbeddingModels(config.embedding, (provider) => withoutMemory(telemetry.embedding(provider)), { queryThread: true }));
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
          await vectors.check(pace);
          await lexical.check(pace);
        },
      },
    );
    const sources = { log: journal.log, catalog, bus, runner, embeddings: providers, queueCapacity: config.queueCapacity, checkWrites: () => checkWrites(folder.root) };
    telemetry.watch(sources);
    const apiKeys = new ApiKeys(journal, now);
    const admission = createAdmission({ journal, catalog, readModels: runner, tiers: config.tiers, onFault });
    const bound = new Map<symbol, unknown>([
      [PORT.Journal, journal],
      [PORT.MessageBus, bus],
      [PORT.BlobStore, blobs],
      [PORT.ScopeKeys, keys],
      [PORT.EmbeddingProviders, providers],
      [PORT.VectorIndex, vectors],
      [PORT.LexicalIndex, lexical],
      [PORT.Catalog, catalog],
      [PORT.DocumentParser, parser],
      [PORT.TokenCounter, gptTokenCounter()],
      [PORT.Checkpoints, checkpoints],
      [PORT.ReadModels, runner],
      [PORT.Shares, soleShares(onFault)],
      [PORT.Admission, admission],
      [PORT.Settings, config],
      // Documents that take long to read are on the bus as long, and keep nobody from their turn.
      [RELAY_OPTIONS, { least: 2 * config.ingestionConcurrency + DOCUMENTS_BESIDE, window: Math.max(32, 4 * config.ingestionConcurrency) }],
      [PORT.OnFault, onFault],
      [PORT.Figures, telemetry.figures],
      [CHECK_KEY_FILES, checkKeyFiles(folder, masterKey, apiKeys)],
      [EMBEDDING_CALLS, telemetry.figures.embeddingCalls],
      [DIGESTS, { vector: vectorDigest, lexical: lexicalDigest }],
    ]);
    return { bound, journal, apiKeys, admission, sources, runner, close };
  } catch (error) {
    await close();
    throw error;
  }
};

/**
 * Nothing is projected before it is durable, so a log that ends before what was projected has lost its end: a write-ahead file
 * that was damaged, say, or a log of another day. Going on would give the lost positions to other events.
 * @throws Corrupt
 */
const refuseShortenedLog = async (folder: FolderLayout, journal: Journal, catalog: Catalog, checkpoints: Checkpoints): Promise<void> => {
  const head = await journal.log.head();
  const seen = laterOf(await catalog.position(), await checkpoints.get(READ_MODELS_CHECKPOINT));
  if (head >= seen) return;
  throw new Corrupt(
    `event log ${folder.log} ends at position ${head}, and the read models have seen ${seen}: it is damaged, or an older one. ` +
      `Restore the log; or, to go on with it as it is, remove ${folder.readModels} and ${dirname(folder.queues)}`,
  );
};
