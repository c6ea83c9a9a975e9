import { pause } from '@palimpsest/foundation';
import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { requestReembedding, type Journal } from '@palimpsest/contracts';
import { Backlog, DeleteDocument, FindDocuments, KnowledgeBases, ProcessDocument, startIngestionWorker, SubmitDocument } from '@palimpsest/ingestion';
import {
  recipeWith, DEFAULT_TENANT, embeddingVersionOf, InvalidValue, START, UNLIMITED,
  type Access, type BlobStore, type Catalog, type Checkpoints, type EmbeddingProviders, type LexicalIndex, type MessageBus, type ScopeKeys, type PartitionLeases, type VectorIndex,
} from '@palimpsest/knowledge';
import { CatalogHeldDocuments, DIGESTS, RebuildReadModels, Relay, VerifyReadModels, type Digests, type ReadModelRunner } from '@palimpsest/projections';
import { SearchKnowledge, RetrievalRecordQueue } from '@palimpsest/query';
import { liveViews, now, PORT, VERSION } from '@palimpsest/runtime';
import { NO_TELEMETRY } from '@palimpsest/host';
import { openEmbeddedAdapters } from '../../src/adapters.ts';
import { platformConfig } from '../../src/config.ts';
import { openDataFolder } from '../../src/data-folder.ts';
import { ensureLocalKey } from '../../src/local-key.ts';
import { UNSPEAKABLE } from '../work.ts';
import { PLAIN_TEXT } from './plain-text-parser.ts';

/** The caller of all tasks. */
const ADMIN: Access = { tenant: DEFAULT_TENANT, teams: ['*'], user: 'local', roles: ['admin', 'operator'], actor: 'crash-test' };

const CATCH_UP_MS = 200_000;

/** Low enough that both indexes are compacted in most runs. */
const COMPACT_FROM_BYTES = 512;

export type Engine = Awaited<ReturnType<typeof openEngine>>;

/** The model "wide-8192" has 8192 dimensions; a model without a number has 64. */
const dimensionsOf = (model: string): number => Number(/^wide-(\d+)$/.exec(model)?.[1] ?? 64);

/** Fake embeddings. The refused word is the same as that of the stand-in in the scenarios over HTTP. */
const embeddings = (model: string): EmbeddingProviders => {
  const provider = aFakeEmbeddingProvider({
    version: embeddingVersionOf({ provider: 'fake', model, dimensions: dimensionsOf(model) }),
    ...(dimensionsOf(model) > 64 ? { maxWords: 16 } : {}),
    beforeAnswer: ({ texts }) => {
      if (texts.some((text) => text.includes(UNSPEAKABLE))) throw new InvalidValue('text', 'a text without the refused word', UNSPEAKABLE);
    },
  });
  return { current: provider, of: (version) => (version === provider.version ? provider : undefined), versions: () => [provider.version], recipeOf: (version) => recipeWith({ version }) };
};

/**
 * Opens a folder as `startPlatform` does, and wires the features without Nest. A kill counts as an attempt of the current work, so the
 * maximum number of attempts is very high here.
 */
export const openEngine = async (data: string, model: string) => {
  const onFault = (error: unknown, about: string): void => void process.stderr.write(`${about}: ${String(error)}\n`);
  const config = platformConfig({ PALIMPSEST_DATA: data, PALIMPSEST_OPENAI_MODEL: model, PALIMPSEST_OPENAI_DIMENSIONS: '64', PALIMPSEST_OPENAI_API_KEY: 'none' });
  const folder = await openDataFolder(config.data);
  const { bound, journal, apiKeys, runner, close } = await openEmbeddedAdapters(config, folder, onFault, NO_TELEMETRY, { compactFromBytes: COMPACT_FROM_BYTES });
  const port = <T>(name: symbol): T => bound.get(name) as T;
  const bus = port<MessageBus>(PORT.MessageBus);
  const catalog = port<Catalog>(PORT.Catalog);
  const blobs = port<BlobStore>(PORT.BlobStore);
  const keys = port<ScopeKeys>(PORT.ScopeKeys);
  const vectors = port<VectorIndex>(PORT.VectorIndex);
  const lexical = port<LexicalIndex>(PORT.LexicalIndex);
  const providers = embeddings(model);
  const knowledgeBases = new KnowledgeBases(journal, providers, UNLIMITED, now);
  const backlog = new Backlog({ bus, catalog }, 10_000);
  const stores = { journal, catalog, vectors, lexical, keys };
  const views = liveViews({ catalog, vectors, lexical, readModels: runner });

  await apiKeys.start(START, (error) => onFault(error, 'following API keys'));
  runner.start();
  const relay = new Relay(journal, bus, port<Checkpoints>(PORT.Checkpoints), new CatalogHeldDocuments(catalog, runner));
  const relaying = await port<PartitionLeases>(PORT.PartitionLeases).join('relay', 1, (_, signal) => relay.run(signal));
  const documents = new ProcessDocument({ journal, blobs, keys, parser: PLAIN_TEXT, providers, quotaPolicy: UNLIMITED, languages: { of: async () => 'und' }, now, requestReembedding: (work) => requestReembedding(bus, work) });
  const consumer = await startIngestionWorker(bus, documents, { concurrency: 2, maxAttempts: 1_000_000, onError: (error, id) => onFault(error, `indexing ${id}`) });
  await ensureLocalKey(folder.localKey, apiKeys, () => undefined);
  await caughtUp(journal, runner);

  return {
    access: ADMIN, journal, runner, catalog, bus, apiKeys, knowledgeBases,
    submit: new SubmitDocument({ journal, blobs, keys, backlog, knowledgeBases, quotaPolicy: UNLIMITED, maxBytes: config.maxDocumentBytes, now }),
    remove: new DeleteDocument(journal, knowledgeBases, UNLIMITED, now),
    find: new FindDocuments(views, keys),
    search: new SearchKnowledge({ views, keys, providers, quotaPolicy: UNLIMITED, version: VERSION, records: new RetrievalRecordQueue(bus, (error) => onFault(error, 'retrieval records')) }),
    verify: new VerifyReadModels(stores, runner, port<Digests>(DIGESTS)),
    rebuild: new RebuildReadModels(stores, runner, () => 0),
    close: async (): Promise<void> => {
      await relaying.leave();
      await consumer.stop(10_000);
      await runner.stop();
      await apiKeys.stop();
      await close();
    },
  };
};

/** The same condition as `/health/ready`. */
const caughtUp = async (journal: Journal, runner: ReadModelRunner): Promise<void> => {
  const head = await journal.log.head();
  for (const until = performance.now() + CATCH_UP_MS; !runner.serving() || runner.position() < head; await pause(5))
    if (performance.now() > until) throw new Error('the read models do not catch up');
};
