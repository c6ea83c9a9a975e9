import { DOCUMENT_NOTES } from './document-notes.ts';
import { EVENT_NOTES } from './event-notes.ts';
import { HEALTH_NOTES } from './health-notes.ts';
import { KEY_NOTES } from './key-notes.ts';
import { KNOWLEDGE_BASE_NOTES } from './knowledge-base-notes.ts';
import type { OperationNotes } from './operation-note.ts';
import { OPERATION_NOTES } from './operation-notes.ts';
import { SEARCH_NOTES } from './search-notes.ts';
import { TENANT_NOTES } from './tenant-notes.ts';

export const NOTES: OperationNotes = { ...HEALTH_NOTES, ...DOCUMENT_NOTES, ...SEARCH_NOTES, ...KNOWLEDGE_BASE_NOTES, ...EVENT_NOTES, ...KEY_NOTES, ...TENANT_NOTES, ...OPERATION_NOTES };

/** Sections of the API reference, in order. */
export const TAGS = {
  Documents: 'Submit, replace, read and delete documents.',
  Search: 'Find passages, and assemble them into a prompt.',
  'Knowledge bases': 'Collections of documents, with their scope and chunking.',
  Events: 'The event log, the source of truth of the platform.',
  'API keys': 'Keys, with the roles and scopes that they grant.',
  Audit: 'The audit trail: who did what, when and from where.',
  Tenants: 'Limits and usage of tenants.',
  Operation: 'Run an installation, and move scopes between installations.',
} as const;
