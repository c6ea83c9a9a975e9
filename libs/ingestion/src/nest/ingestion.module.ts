import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { requestReembedding, type Journal } from '@palimpsest/contracts';
import type { QuotaPolicy, BlobStore, Catalog, CatalogView, Consumer, DocumentParser, EmbeddingProviders, MessageBus, ReadModels, ScopeKeys, Views } from '@palimpsest/knowledge';
import { LiveModule, now, PORT, type OnFault } from '@palimpsest/runtime';
import { Backlog } from '../backlog.ts';
import { FindDocuments } from '../documents/find-documents.ts';
import { FollowDocuments } from '../documents/follow-documents.ts';
import { KnowledgeBases } from '../knowledge-bases/knowledge-bases.ts';
import { startIngestionWorker } from '../processing/ingestion-worker.ts';
import { MainLanguages } from '../processing/main-languages.ts';
import { ProcessDocument } from '../processing/process-document.ts';
import { ReleaseDeferred } from '../processing/release-deferred.ts';
import { DeleteDocument } from '../submission/delete-document.ts';
import { SubmitDocument } from '../submission/submit-document.ts';
import { BeginImport } from '../transfer/begin-import.ts';
import { SealedTransfer } from '../transfer/sealed-transfer.ts';
import { ExportScope } from '../transfer/export-scope.ts';
import { ImportDocuments } from '../transfer/import-documents.ts';
import { DocumentsController } from './documents-controller.ts';
import { LiveDocumentsController } from './live-documents-controller.ts';
import { KnowledgeBasesController } from './knowledge-bases-controller.ts';
import { TransferController } from './transfer-controller.ts';

export type IngestionSettings = Readonly<{
  /** Documents that may wait before more are refused. */
  queueCapacity: number;
  /** Documents processed at the same time. */
  ingestionConcurrency: number;
  ingestionAttempts: number;
  maxDocumentBytes: number;
}>;

const GRACE_MS = 10_000;

/** Runs as long as the application. It stops after the last response was sent, because requests may wait for it. */
class IngestionWorker implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #start: () => Promise<Consumer>;
  #consumer: Consumer | undefined;

  constructor(start: () => Promise<Consumer>) {
    this.#start = start;
  }

  async onApplicationBootstrap(): Promise<void> {
    this.#consumer = await this.#start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#consumer?.stop(GRACE_MS);
  }
}

/** Checks periodically whether documents that wait for a model can be processed. */
class DeferredWork implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #release: ReleaseDeferred;
  readonly #stop = new AbortController();
  #ended: Promise<void> | undefined;

  constructor(release: ReleaseDeferred) {
    this.#release = release;
  }

  onApplicationBootstrap(): void {
    this.#ended = this.#release.keepLooking(this.#stop.signal);
  }

  async onApplicationShutdown(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }
}

@Module({
  imports: [LiveModule],
  controllers: [LiveDocumentsController, DocumentsController, KnowledgeBasesController, TransferController],
  providers: [
    {
      provide: Backlog,
      inject: [PORT.MessageBus, PORT.Catalog, PORT.Settings],
      useFactory: (bus: MessageBus, catalog: Catalog, { queueCapacity }: IngestionSettings) => new Backlog({ bus, catalog }, queueCapacity),
    },
    {
      provide: KnowledgeBases,
      inject: [PORT.Journal, PORT.EmbeddingProviders, PORT.QuotaPolicy],
      useFactory: (journal: Journal, providers: EmbeddingProviders, quotaPolicy: QuotaPolicy) => new KnowledgeBases(journal, providers, quotaPolicy, now),
    },
    {
      provide: SubmitDocument,
      inject: [PORT.Journal, PORT.BlobStore, PORT.ScopeKeys, Backlog, KnowledgeBases, PORT.QuotaPolicy, PORT.Settings],
      useFactory: (
        journal: Journal, blobs: BlobStore, keys: ScopeKeys, backlog: Backlog, knowledgeBases: KnowledgeBases, quotaPolicy: QuotaPolicy, { maxDocumentBytes }: IngestionSettings,
      ) => new SubmitDocument({ journal, blobs, keys, backlog, knowledgeBases, quotaPolicy, maxBytes: maxDocumentBytes, now }),
    },
    {
      provide: DeleteDocument,
      inject: [PORT.Journal, KnowledgeBases, PORT.QuotaPolicy],
      useFactory: (journal: Journal, knowledgeBases: KnowledgeBases, quotaPolicy: QuotaPolicy) => new DeleteDocument(journal, knowledgeBases, quotaPolicy, now),
    },
    {
      provide: FollowDocuments,
      inject: [FindDocuments, PORT.ReadModels, PORT.Journal],
      useFactory: (find: FindDocuments, readModels: ReadModels, journal: Journal) => new FollowDocuments(find, readModels, journal.log),
    },
    { provide: FindDocuments, inject: [PORT.Views, PORT.ScopeKeys], useFactory: (views: Views<CatalogView>, keys: ScopeKeys) => new FindDocuments(views, keys) },
    {
      provide: ExportScope,
      inject: [PORT.Journal, PORT.Catalog, PORT.BlobStore, PORT.ScopeKeys],
      useFactory: (journal: Journal, catalog: Catalog, blobs: BlobStore, keys: ScopeKeys) => new ExportScope({ journal, catalog, blobs, keys, now }),
    },
    { provide: SealedTransfer, inject: [ExportScope, PORT.Journal, PORT.ScopeKeys], useFactory: (exporting: ExportScope, journal: Journal, keys: ScopeKeys) => new SealedTransfer(exporting, journal, keys) },
    {
      provide: BeginImport,
      inject: [PORT.Journal, PORT.EmbeddingProviders, KnowledgeBases, PORT.QuotaPolicy],
      useFactory: (journal: Journal, providers: EmbeddingProviders, knowledgeBases: KnowledgeBases, quotaPolicy: QuotaPolicy) =>
        new BeginImport({ journal, providers, knowledgeBases, quotaPolicy, now }),
    },
    {
      provide: ImportDocuments,
      inject: [PORT.Journal, PORT.BlobStore, PORT.ScopeKeys, SubmitDocument, PORT.QuotaPolicy, PORT.Settings],
      useFactory: (journal: Journal, blobs: BlobStore, keys: ScopeKeys, submit: SubmitDocument, quotaPolicy: QuotaPolicy, { maxDocumentBytes }: IngestionSettings) =>
        new ImportDocuments({ journal, blobs, keys, submit, quotaPolicy, maxBytes: maxDocumentBytes, now }),
    },
    {
      provide: ProcessDocument,
      inject: [PORT.Journal, PORT.BlobStore, PORT.ScopeKeys, PORT.DocumentParser, PORT.EmbeddingProviders, PORT.QuotaPolicy, PORT.MessageBus, PORT.Catalog],
      useFactory: (
        journal: Journal, blobs: BlobStore, keys: ScopeKeys, parser: DocumentParser, providers: EmbeddingProviders, quotaPolicy: QuotaPolicy, bus: MessageBus, catalog: Catalog,
      ) => new ProcessDocument({ journal, blobs, keys, parser, providers, quotaPolicy, languages: new MainLanguages(catalog), now, requestReembedding: (work) => requestReembedding(bus, work) }),
    },
    {
      provide: IngestionWorker,
      inject: [PORT.MessageBus, ProcessDocument, PORT.Settings, PORT.OnFault],
      useFactory: (bus: MessageBus, documents: ProcessDocument, settings: IngestionSettings, onFault: OnFault) =>
        new IngestionWorker(() =>
          startIngestionWorker(bus, documents, {
            concurrency: settings.ingestionConcurrency,
            maxAttempts: settings.ingestionAttempts,
            onError: (error, documentId) => onFault(error, `indexing document ${documentId}`),
          }),
        ),
    },
    {
      provide: DeferredWork,
      inject: [PORT.Catalog, PORT.MessageBus, PORT.EmbeddingProviders, PORT.OnFault],
      useFactory: (catalog: Catalog, bus: MessageBus, providers: EmbeddingProviders, onFault: OnFault) =>
        new DeferredWork(new ReleaseDeferred({ catalog, bus, providers }, (error) => onFault(error, 'releasing documents that wait for a model'))),
    },
  ],
  exports: [Backlog, KnowledgeBases, SubmitDocument, FindDocuments],
})
export class IngestionModule {}
