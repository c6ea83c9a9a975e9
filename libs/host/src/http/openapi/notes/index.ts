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

/** Chapters, in the order in which one meets them. */
export const TAGS = {
  Documents: 'Handing in, replacing, looking at and deleting what is searched.',
  Search: 'Finding passages, and making them a part of a prompt.',
  'Knowledge bases': 'Where documents live, and how they are cut.',
  Events: 'The log that everything else follows from.',
  'API keys': 'Who may do what.',
  Audit: 'Who did what, when and from where.',
  Tenants: 'What each tenant may use, and what it does use.',
  Operation: 'Running an installation, and moving scopes between installations.',
} as const;
