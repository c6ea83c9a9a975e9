export { Backlog } from './backlog.ts';
export { queueDepth, type QueueDepth } from './queue-depth.ts';
export {
  ArchiveKnowledgeBase,
  CreateKnowledgeBase,
  DeleteKnowledgeBase,
  DEFAULT_KNOWLEDGE_BASE,
  KnowledgeBases,
  PauseKnowledgeBase,
  ResumeKnowledgeBase,
  type Changed,
} from './knowledge-bases/knowledge-bases.ts';
export { SubmitDocument, type NewDocument, type Submitted } from './submission/submit-document.ts';
export { DeleteDocument } from './submission/delete-document.ts';
export { RetryDocument, SubmitDocuments, type Submissions } from './submission/submit-documents.ts';
export { MainLanguages } from './processing/main-languages.ts';
export type { ProcessingPorts } from './processing/document-work.ts';
export { ProcessDocument } from './processing/process-document.ts';
export { RechunkDocument } from './processing/rechunk-document.ts';
export { MAX_YIELDED_DOCUMENTS, startIngestionWorker, type IngestionWorkerOptions } from './processing/ingestion-worker.ts';
export { chunkingSettings, type Chunker, type ChunkDraft, chunkerFor } from './chunking/index.ts';
export { ListDocuments, ListKnowledgeBases } from './documents/find-documents.ts';
export { LiveDocumentsController } from './nest/live-documents-controller.ts';
export { DocumentsController } from './nest/documents-controller.ts';
export { KnowledgeBasesController } from './nest/knowledge-bases-controller.ts';
export { ingestion, type IngestionPorts, type IngestionSettings } from './nest/ingestion-feature.ts';
