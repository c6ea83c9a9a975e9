import { createApiKey, getCaller, listApiKeys, revokeApiKey } from './routes/api-keys.ts';
import {
  deleteDocument,
  followDocuments,
  getDocument,
  listChunks,
  listDocuments,
  replaceDocument,
  retryDocument,
  submitDocuments,
} from './routes/documents.ts';
import { followEvents, getEvent, listEvents } from './routes/events.ts';
import { getHealth, getLiveness, getReadiness, getRoot } from './routes/health.ts';
import {
  archiveKnowledgeBase,
  configureKnowledgeBase,
  createKnowledgeBase,
  getKnowledgeBase,
  listKnowledgeBases,
  pauseKnowledgeBase,
  resumeKnowledgeBase,
} from './routes/knowledge-bases.ts';
import {
  discardDeadLetter,
  getOverview,
  getReembedding,
  getStatus,
  listDeadLetters,
  rebuildReadModels,
  retireGeneration,
  retryDeadLetter,
  startReembedding,
  verifyReadModels,
} from './routes/operation.ts';
import { retrieveContext, search } from './routes/search.ts';
import { getLimits, getUsage, listAudit, listTenants, setLimits } from './routes/tenants.ts';
import { beginImport, exportScope, importDocuments } from './routes/transfer.ts';
import type { RouteContract } from './route.ts';

/** Every route of the HTTP API, in the order of the reference. */
export const ROUTES: readonly RouteContract[] = [
  getRoot,
  getLiveness,
  getReadiness,
  getHealth,
  getStatus,
  getOverview,
  getCaller,
  listApiKeys,
  createApiKey,
  revokeApiKey,
  listAudit,
  listDeadLetters,
  retryDeadLetter,
  discardDeadLetter,
  getUsage,
  listTenants,
  getLimits,
  setLimits,
  rebuildReadModels,
  verifyReadModels,
  followDocuments,
  listDocuments,
  submitDocuments,
  getDocument,
  replaceDocument,
  deleteDocument,
  listChunks,
  retryDocument,
  listKnowledgeBases,
  createKnowledgeBase,
  getKnowledgeBase,
  configureKnowledgeBase,
  pauseKnowledgeBase,
  resumeKnowledgeBase,
  archiveKnowledgeBase,
  exportScope,
  beginImport,
  importDocuments,
  getReembedding,
  startReembedding,
  retireGeneration,
  search,
  retrieveContext,
  listEvents,
  followEvents,
  getEvent,
];
