import { requestReembedding, type Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import type { QuotaPolicy } from '@palimpsest/knowledge/limits';
import type {
  BlobStore,
  Consumer,
  DocumentParser,
  EmbeddingProviders,
  MessageBus,
  PartitionLeases,
  ScopeKeys,
} from '@palimpsest/knowledge/ports';
import type { Catalog, CatalogView, ReadModels, Views } from '@palimpsest/knowledge/read-models';
import type { PastViews } from '@palimpsest/knowledge/past';
import type { VectorScope } from '@palimpsest/knowledge/values';
import { feature, type Now, type OnFault, type Task } from '@palimpsest/runtime';
import { Backlog } from '../backlog.ts';
import { FindDocuments } from '../documents/find-documents.ts';
import { FollowDocumentsHandler } from '../documents/follow-documents.ts';
import { KnowledgeBaseDeletions } from '../knowledge-bases/knowledge-base-deletions.ts';
import { KnowledgeBases } from '../knowledge-bases/knowledge-bases.ts';
import { startIngestionWorker } from '../processing/ingestion-worker.ts';
import { MainLanguages } from '../processing/main-languages.ts';
import { ProcessDocument } from '../processing/process-document.ts';
import { ReleaseDeferred } from '../processing/release-deferred.ts';
import { DeleteDocumentHandler } from '../submission/delete-document.ts';
import { DeleteDocumentsHandler } from '../submission/delete-documents.ts';
import { SubmitDocument } from '../submission/submit-document.ts';
import { SubmitDocumentsHandler } from '../submission/submit-documents.ts';
import { ImportStart } from '../transfer/import-start.ts';
import { SealedTransfer } from '../transfer/sealed-transfer.ts';
import { TransferScope } from '../transfer/transfer-scope.ts';
import { PortableExport } from '../transfer/portable-export.ts';
import { DocumentImport } from '../transfer/document-import.ts';
import { DocumentVersions } from '../versions/document-versions.ts';
import { DocumentVersionsController } from './document-versions-controller.ts';
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

export type IngestionPorts = Readonly<{
  journal: Journal;
  bus: MessageBus;
  leases: PartitionLeases;
  blobs: BlobStore;
  keys: ScopeKeys;
  catalog: Catalog;
  views: Views<CatalogView>;
  pastViews: PastViews<CatalogView>;
  readModels: ReadModels;
  providers: EmbeddingProviders;
  parser: DocumentParser;
  quotas: QuotaPolicy;
  settings: IngestionSettings;
  now: Now;
  onFault: OnFault;
  system: System;
}>;

const GRACE_MS = 10_000;

/** Accepts, processes and lists documents; knowledge bases; export and import. */
export const ingestion = feature('ingestion', (ports: IngestionPorts) => {
  const { journal, bus, blobs, keys, catalog, views, pastViews, readModels, providers, parser, quotas, now, onFault, settings, system } =
    ports;
  const { maxDocumentBytes: maxBytes } = settings;
  const backlog = new Backlog({ bus, catalog }, settings.queueCapacity, system);
  const knowledgeBases = new KnowledgeBases(journal, providers, quotas, now);
  const submitDocument = new SubmitDocument({ journal, blobs, keys, backlog, knowledgeBases, quotaPolicy: quotas, maxBytes, now });
  const deleteDocument = new DeleteDocumentHandler(journal, knowledgeBases, now);
  const findDocuments = new FindDocuments({ views, pastViews, keys });
  const languages = new MainLanguages(catalog, () => system.clock.elapsed());
  const processDocument = new ProcessDocument({
    journal,
    blobs,
    keys,
    parser,
    providers,
    quotaPolicy: quotas,
    languages,
    now,
    system,
    requestReembedding: (work) => requestReembedding(bus, work, system.ids),
  });
  const onExportError = (error: unknown, scope: VectorScope): void => onFault(error, `exporting scope ${scope}`);
  const sealed = new SealedTransfer(new PortableExport({ journal, catalog, blobs, keys, now }), journal, keys, onExportError, system.ids);
  return {
    useCases: [
      new SubmitDocumentsHandler(submitDocument, findDocuments),
      deleteDocument,
      new DeleteDocumentsHandler(views, deleteDocument),
      findDocuments,
      new DocumentVersions({ journal, keys, scheduler: system.scheduler }),
      new FollowDocumentsHandler(findDocuments, readModels, journal),
      knowledgeBases,
      new TransferScope(
        sealed,
        new ImportStart({ journal, providers, knowledgeBases, now }),
        new DocumentImport({ journal, blobs, keys, submit: submitDocument, quotaPolicy: quotas, maxBytes, now }),
      ),
    ],
    consumers: [
      worker(() =>
        startIngestionWorker(bus, processDocument, {
          concurrency: settings.ingestionConcurrency,
          maxAttempts: settings.ingestionAttempts,
          system,
          onError: (error, documentId) => onFault(error, `indexing document ${documentId}`),
        }),
      ),
      new KnowledgeBaseDeletions({ journal, catalog, readModels, leases: ports.leases, now, onFault, system }),
      releasing(
        new ReleaseDeferred(
          { catalog, bus, providers },
          (error) => onFault(error, 'releasing documents that wait for a model'),
          system.scheduler,
        ),
      ),
    ],
    routes: [LiveDocumentsController, DocumentsController, DocumentVersionsController, KnowledgeBasesController, TransferController],
  };
});

const worker = (startConsuming: () => Promise<Consumer>): Task => {
  let consumer: Consumer | undefined;
  return {
    start: async () => void (consumer = await startConsuming()),
    stop: async () => consumer?.stop(GRACE_MS),
  };
};

/** Checks periodically whether documents that wait for a model can be processed. */
const releasing = (release: ReleaseDeferred): Task => {
  const stopping = new AbortController();
  let ended: Promise<void> | undefined;
  return {
    start: () => void (ended = release.keepLooking(stopping.signal)),
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
};
