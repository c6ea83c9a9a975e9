import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { requestReembedding, type Journal } from '@palimpsest/contracts';
import type { Admission, BlobStore, Catalog, Consumer, DocumentParser, EmbeddingProviders, MessageBus, ReadModels, ScopeKeys } from '@palimpsest/knowledge';
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
import { ExportScope } from '../transfer/export-scope.ts';
import { ImportDocuments } from '../transfer/import-documents.ts';
import { DocumentsController } from './documents-controller.ts';
import { LiveDocumentsController } from './live-documents-controller.ts';
import { KnowledgeBasesController } from './knowledge-bases-controller.ts';
import { TransferController } from './transfer-controller.ts';

export type IngestionSettings = Readonly<{
  /** Documents that may wait before more are refused. */
  queueCapacity: number;
  /** Documents worked on at the same time. */
  ingestionConcurrency: number;
  ingestionAttempts: number;
  maxDocumentBytes: number;
}>;

const GRACE_MS = 10_000;

/** The worker lives as long as the application does. All of it ends after the last request was answered: that may wait for it. */
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

/** Looks now and then whether documents that wait for a model can go on. */
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
      inject: [PORT.Journal, PORT.EmbeddingProviders, PORT.Admission],
      useFactory: (journal: Journal, providers: EmbeddingProviders, admission: Admission) => new KnowledgeBases(journal, providers, admission, now),
    },
    {
      provide: SubmitDocument,
      inject: [PORT.Journal, PORT.BlobStore, PORT.ScopeKeys, Backlog, KnowledgeBases, PORT.Admission, PORT.Settings],
      useFactory: (
        journal: Journal, blobs: BlobStore, keys: ScopeKeys, backlog: Backlog, knowledgeBases: KnowledgeBases, admission: Admission, { maxDocumentBytes }: IngestionSettings,
      ) => new SubmitDocument({ journal, blobs, keys, backlog, knowledgeBases, admission, maxBytes: maxDocumentBytes, now }),
    },
    {
      provide: DeleteDocument,
      inject: [PORT.Journal, KnowledgeBases, PORT.Admission],
      useFactory: (journal: Journal, knowledgeBases: KnowledgeBases, admission: Admission) => new DeleteDocument(journal, knowledgeBases, admission, now),
    },
    {
      provide: FollowDocuments,
      inject: [FindDocuments, PORT.ReadModels, PORT.Journal],
      useFactory: (find: FindDocuments, readModels: ReadModels, journal: Journal) => new FollowDocuments(find, readModels, journal.log),
    },
    { provide: FindDocuments, inject: [PORT.Catalog, PORT.ScopeKeys], useFactory: (catalog: Catalog, keys: ScopeKeys) => new FindDocuments(catalog, keys) },
    {
      provide: ExportScope,
      inject: [PORT.Journal, PORT.Catalog, PORT.BlobStore, PORT.ScopeKeys],
      useFactory: (journal: Journal, catalog: Catalog, blobs: BlobStore, keys: ScopeKeys) => new ExportScope({ journal, catalog, blobs, keys, now }),
    },
    {
      provide: BeginImport,
      inject: [PORT.Journal, PORT.EmbeddingProviders, KnowledgeBases, PORT.Admission],
      useFactory: (journal: Journal, providers: EmbeddingProviders, knowledgeBases: KnowledgeBases, admission: Admission) =>
        new BeginImport({ journal, providers, knowledgeBases, admission, now }),
    },
    {
      provide: ImportDocuments,
      inject: [PORT.Journal, PORT.BlobStore, PORT.ScopeKeys, SubmitDocument, PORT.Admission, PORT.Settings],
      useFactory: (journal: Journal, blobs: BlobStore, keys: ScopeKeys, submit: SubmitDocument, admission: Admission, { maxDocumentBytes }: IngestionSettings) =>
        new ImportDocuments({ journal, blobs, keys, submit, admission, maxBytes: maxDocumentBytes, now }),
    },
    {
      provide: ProcessDocument,
      inject: [PORT.Journal, PORT.BlobStore, PORT.ScopeKeys, PORT.DocumentParser, PORT.EmbeddingProviders, PORT.Admission, PORT.MessageBus, PORT.Catalog],
      useFactory: (
        journal: Journal, blobs: BlobStore, keys: ScopeKeys, parser: DocumentParser, providers: EmbeddingProviders, admission: Admission, bus: MessageBus, catalog: Catalog,
      ) => new ProcessDocument({ journal, blobs, keys, parser, providers, admission, languages: new MainLanguages(catalog), now, requestReembedding: (work) => requestReembedding(bus, work) }),
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
